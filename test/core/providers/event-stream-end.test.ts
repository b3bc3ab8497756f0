import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { upToEnd } from '../../../src/core/providers/event-stream-end.ts';
import { sized } from '../../helpers/long.ts';

/** What comes through of a stream that arrives in pieces of a size. */
const through = (text: string, size = text.length): Promise<string> => {
  const bytes = Buffer.from(text);
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
  return new Response(upToEnd(ReadableStream.from(pieces))).text();
};

describe('the events of a model', () => {
  it.each([
    ['[DONE]', 'data: [DONE]\n'],
    ['[DONE] without a space', 'data:[DONE]\n'],
  ])('count up to the end of %s', async (_, end) => {
    const before = 'data: {"a":1}\n\n: comment\n\n';
    for (const size of [1, 7, 10_000])
      expect(await through(`${before}${end}data: {"a":"late"}\n\n`, size)).toBe(before + end);
  });

  it.each([
    'data: {"text":"data: [DONE]"}\n\ndata: 2\n\n',
    'data: {"text":\ndata: "[DONE]"}\n\ndata: 2\n\n',
    ': [DONE]\n\ndata: 2\n\n',
    // Some vendors send several messages in one stream.
    'event: message_stop\ndata: {"type":"message_stop"}\n\ndata: 2\n\n',
    'data: {"type":"response.completed"}\n\ndata: 2\n\n',
    'data: 1',
  ])('do not end at %j', async (text) => expect(await through(text, 3)).toBe(text));

  it('have line feeds at the ends of their lines, however they are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('data: {"é":1}', '', 'id: 7', ':'), { maxLength: 20 }),
        fc.array(fc.constantFrom('\n', '\r\n', '\r'), { minLength: 20, maxLength: 20 }),
        fc.integer({ min: 1, max: 9 }),
        async (lines, ends, size) => {
          const text = lines.map((line, at) => line + ends[at]).join('');
          // A return and a line feed of two lines are the end of one.
          const expected = text.replaceAll(/\r\n?/g, '\n');
          expect(await through(text, size)).toBe(expected);
        },
      ),
      { numRuns: sized(100, 1000) },
    );
  });

  it('a connection that sends more after the end is closed', async () => {
    const cancelled = Promise.withResolvers<void>();
    const endless = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(Buffer.from('data: [DONE]\n\n')),
      pull: (controller) => controller.enqueue(Buffer.alloc(16_384, ':')),
      cancel: () => cancelled.resolve(),
    });
    expect(await new Response(upToEnd(endless)).text()).toBe('data: [DONE]\n');
    await cancelled.promise;
  });
});
