import { setImmediate as breathe } from 'node:timers/promises';
import { parseJsonEventStream } from 'ai';
import { createParser } from 'eventsource-parser';
// Its parts find each other only when the whole is loaded first.
import 'undici';
import { EventSourceStream } from 'undici/lib/web/eventsource/eventsource-stream.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { completionChunkSchema } from '../../../src/contract/chat.ts';
import { runEventSchema } from '../../../src/contract/run-events.ts';
import type { TestDaemon } from '../../helpers/daemon.ts';
import { startModelDaemon } from '../../helpers/model-daemon.ts';
import { callsTools, type ModelServer, says } from '../../helpers/model-server.ts';

let daemon: TestDaemon;
let model: ModelServer;
beforeAll(async () => {
  ({ daemon, model } = await startModelDaemon());
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

/** What would end a line, an event or a field too early, and characters of two, three and four bytes. */
const text = 'data: x\n\nid: 7\r\n:\u2028é–🎆\u0000';
beforeEach(() => {
  model.script = callsTools([[{ name: 'open\ndoor', args: { text } }]], text);
});

/** Public clients, each of which reads the pieces as they come. */
const clients: Record<string, (pieces: readonly Uint8Array[]) => unknown[] | Promise<unknown[]>> = {
  'eventsource-parser': (pieces) => {
    const events: unknown[] = [];
    const parser = createParser({
      onEvent: ({ data }) => events.push(JSON.parse(data)),
      onError: (error) => {
        throw error;
      },
    });
    const decoder = new TextDecoder();
    for (const piece of pieces) parser.feed(decoder.decode(piece, { stream: true }));
    return events;
  },
  undici: (pieces) => {
    const events: unknown[] = [];
    const parser = new EventSourceStream({
      eventSourceSettings: { lastEventId: '', origin: daemon.url, reconnectionTime: 1000 },
      push: ({ type, options }) => {
        expect(type).toBe('message');
        return events.push(JSON.parse(options.data)) > 0;
      },
    });
    for (const piece of pieces) parser.write(piece);
    return events;
  },
  'the AI SDK': async (pieces) => {
    const stream = ReadableStream.from(pieces);
    const events: unknown[] = [];
    for await (const parsed of parseJsonEventStream({ stream, schema: z.json() }))
      events.push(parsed.success ? parsed.value : parsed.error);
    return events;
  },
};

async function rawBytes(path: string, body: object): Promise<Buffer> {
  const response = await fetch(`${daemon.url}${path}`, {
    method: 'POST',
    headers: { ...daemon.headers, 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify(body),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(response.headers.get('content-type'), bytes.toString()).toBe('text/event-stream');
  return bytes;
}
async function conversation(): Promise<string> {
  const { conversation: made } = await daemon.client.conversations.create({ body: {} });
  return `/api/chat/conversations/${made.id}/messages`;
}

const streams = {
  'a completion': {
    schema: completionChunkSchema,
    text: ['Hel', text],
    read: () => {
      model.script = says('Hel', text);
      const messages = [{ role: 'user', content: 'hi' }];
      return rawBytes('/api/chat/completions', { messages });
    },
  },
  'a message with tools': {
    schema: runEventSchema,
    text: [text],
    read: async () => rawBytes(`${await conversation()}/with-tools`, { content: 'hi' }),
  },
  'an agentic message': {
    schema: runEventSchema,
    text: [text],
    read: async () => rawBytes(`${await conversation()}/agentic`, { content: 'hi' }),
  },
};

describe.each(Object.entries(streams))('the stream of %s', (_, { schema, text: said, read }) => {
  it('a stream is the same for every client, however its bytes are split', async () => {
    const bytes = await read();
    const frames = bytes.toString().split('\n\n').filter(Boolean);
    const expected = frames.map((frame) => schema.parse(JSON.parse(frame.replace(/^data: /, ''))));
    const heard = expected.flatMap((event) => {
      if ('content' in event) return event.content;
      return 'type' in event && event.type === 'text:delta' ? event.data.delta : [];
    });
    expect(heard).toEqual(said);
    for (const [name, parse] of Object.entries(clients)) {
      expect(await parse(Array.from(bytes, (byte) => Uint8Array.of(byte))), name).toEqual(expected);
      for (let at = 0; at <= bytes.length; at++) {
        expect(await parse([bytes.subarray(0, at), bytes.subarray(at)]), `${name} at ${at}`).toEqual(
          expected,
        );
        // Both ends of an idle connection are in this process: each has to hear that the other closes it.
        await breathe();
      }
    }
  });
});
