import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { Speech } from '../model-load.ts';

/**
 * A model that says what its last message orders, as OpenAI's chat completions; each piece tells when it was written. A
 * prompt that orders nothing, such as one that svc writes itself, gets a single piece.
 */
const server = createServer((request, response) => {
  void json(request).then((body) => {
    const { stream, messages } = body as { stream?: boolean; messages: { content: unknown }[] };
    const speech = speechOf(messages.at(-1)?.content);
    if (stream) return speak(response, speech);
    const message = { role: 'assistant', content: stamp() };
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        ...head,
        object: 'chat.completion',
        choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }],
        usage,
      }),
    );
  });
});

/** What memory recalls may stand before the order. */
function speechOf(content: unknown): Speech {
  const [order] = /\{"pieces":\d+,"everyMs":\d+\}$/.exec(typeof content === 'string' ? content : '') ?? [];
  return order === undefined ? { pieces: 1, everyMs: 0 } : (JSON.parse(order) as Speech);
}

const head = { id: 'chatcmpl-bench', created: 1_700_000_000, model: 'bench', system_fingerprint: 'fp_bench' };
const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };

/** The clock is one for all processes of the machine. */
const stamp = () => `@${process.hrtime.bigint()} `;

const chunk = (delta: object, finish_reason: string | null = null) =>
  event({ ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason }] });
const event = (data: object) => `data: ${JSON.stringify({ object: 'chat.completion.chunk', ...data })}\n\n`;

async function speak(response: ServerResponse, { pieces, everyMs }: Speech): Promise<void> {
  response.setHeader('content-type', 'text/event-stream');
  const began = performance.now();
  response.write(chunk({ role: 'assistant', content: stamp() }));
  for (let said = 1; said < pieces; said++) {
    const ms = began + said * everyMs - performance.now();
    await (everyMs > 0 ? delay(Math.max(0, ms)) : new Promise(setImmediate));
    response.write(chunk({ content: stamp() }));
  }
  response.end(`${chunk({}, 'stop')}${event({ ...head, choices: [], usage })}data: [DONE]\n\n`);
}

server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, headers: {} });
});
process.on('SIGTERM', () => process.exit(0));
