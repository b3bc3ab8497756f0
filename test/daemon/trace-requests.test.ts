import { request } from 'node:http';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { deliver, fromGithub, inboundFlags, openedIssue } from '../helpers/inbound.ts';
import { sized } from '../helpers/long.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../helpers/otlp-receiver.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
let receiver: OtlpReceiver;
let daemon: TestDaemon;
beforeAll(async () => {
  receiver = await startOtlpReceiver();
  daemon = await startDaemon({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_BSP_SCHEDULE_DELAY: '1' },
    flags: inboundFlags,
  });
});
beforeEach(() => void receiver.requests.splice(0));
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

/** With headers as they are, also those that `fetch` would refuse or join. */
const send = (headers: Record<string, string | string[]>, path = '/api/tasks'): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request(
      `${daemon.url}${path}`,
      { headers: { ...daemon.headers, ...headers } },
      (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode ?? 0));
      },
    );
    sent.on('error', reject);
    sent.end();
  });

it('any traceparent and tracestate are taken or ignored, and answered', async () => {
  // What HTTP allows in a header: anything else never arrives.
  const value = fc.stringMatching(/^[\x21-\x7e\x80-\xff]([\x20-\x7e\x80-\xff]{0,600}[\x21-\x7e\x80-\xff])?$/);
  const nearly = fc.stringMatching(/^[\da-fA-F]{2}-[\da-f]{31,33}-[\da-f]{15,17}-[\da-f]{2}(-[a-z]{0,9})?$/);
  const any = fc.oneof(nearly, value, fc.constant(traceparent));
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(any, fc.array(any, { minLength: 1, maxLength: 3 })),
      fc.oneof(value, fc.array(value, { minLength: 1, maxLength: 3 })),
      async (parent, state) => {
        expect(await send({ traceparent: parent, tracestate: state })).toBe(200);
      },
    ),
    { numRuns: sized(60, 500) },
  );
});

it('two traceparent headers are none', async () => {
  const own = traceparent.replace('0af7', '1af7');
  expect(await send({ traceparent: [own, own] }, '/api/agents/types')).toBe(200);
  const sent = () => receiver.spans().find(({ name }) => name === 'GET /api/agents/types');
  await expect.poll(sent).toBeDefined();
  expect(own).not.toContain(sent()?.traceId);
});

it('a task of an inbound webhook joins the trace of its delivery', async () => {
  const delivery = fromGithub(openedIssue());
  const { body } = await deliver(daemon, { ...delivery, headers: { ...delivery.headers, traceparent } });
  const row = await daemon.app.database.read
    .selectFrom('tasks')
    .select('trace_context')
    .where('id', '=', body.taskId ?? '')
    .executeTakeFirstOrThrow();
  expect(row.trace_context).toContain(`00-${traceId}-`);
  await expect.poll(() => receiver.spans().map((span) => span.name)).toContain('POST /api/webhooks/codehost');
});

it('no path and no query of a request is exported, only its route', async () => {
  await fetch(`${daemon.url}/api/tasks/planted-id?planted=1`, { headers: daemon.headers });
  await expect.poll(() => receiver.spans().map(({ name }) => name)).toContain('GET /api/tasks/:id');
  expect(JSON.stringify(receiver.requests.map(({ body }) => body))).not.toContain('planted');
});
