import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { silentLog } from '../../../src/core/log.ts';
import { Counter } from '../../../src/core/metrics/metric-families.ts';
import { createOutboundFetch } from '../../../src/core/outbound/outbound-fetch.ts';
import { OtlpSender, type OtlpSenderDeps } from '../../../src/core/telemetry/otlp-sender.ts';
import { encodeOtlp } from '../../helpers/otlp-messages.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../../helpers/otlp-receiver.ts';

let receiver: OtlpReceiver;
const outbound = createOutboundFetch(() => ['127.0.0.0/8']);
beforeEach(async () => {
  receiver = await startOtlpReceiver();
});
afterEach(() => receiver[Symbol.asyncDispose]());

function senderOf(deps: Partial<OtlpSenderDeps> = {}, url = receiver.url) {
  const count = new Counter();
  const warn = vi.fn<typeof silentLog.warn>();
  const info = vi.fn<typeof silentLog.info>();
  const sender = new OtlpSender({
    signal: 'traces',
    settings: {
      url,
      headers: { authorization: 'Bearer planted' },
      timeoutMs: 2000,
      isCompressed: false,
      protocol: 'http/json',
    },
    fetch: outbound.fetch,
    runtime: { now: () => new Date(), random: () => 0 },
    log: { ...silentLog, warn, info },
    count,
    stopping: new AbortController().signal,
    firstDelayMs: 2,
    ...deps,
  });
  const counted = () => Object.fromEntries(count.samples().map(([labels, n]) => [labels['outcome'], n]));
  return { sender, counted, warn, info };
}
/** Answers with these statuses, one after the other, and then with 200. */
const answers = (...statuses: number[]) => {
  receiver.answer = (response) =>
    response.writeHead(statuses.shift() ?? 200, { 'retry-after': '0.01' }).end('{}');
};

it.each([429, 502, 503, 504])('sends the same again after %i', async (status) => {
  answers(status, status);
  const { sender, counted } = senderOf();
  await sender.send({ resourceSpans: [] }, 3);
  expect(receiver.requests.map(({ body }) => body)).toEqual(Array(3).fill({ resourceSpans: [] }));
  expect(counted()).toEqual({ exported: 3 });
});

it.each([400, 401, 404, 500])('drops what is answered with %i, and counts it', async (status) => {
  answers(status);
  const { sender, counted, warn } = senderOf();
  await sender.send({}, 3);
  expect(receiver.requests).toHaveLength(1);
  expect(counted()).toEqual({ dropped: 3 });
  expect(JSON.stringify(warn.mock.calls)).toContain(`answered ${status}`);
  expect(JSON.stringify(warn.mock.calls)).not.toContain('planted');
});

it('gives up after five attempts, warns once for an outage, and says when it is over', async () => {
  answers(...Array<number>(10).fill(503));
  const { sender, counted, warn, info } = senderOf();
  await sender.send({}, 1);
  await sender.send({}, 1);
  expect(receiver.requests).toHaveLength(10);
  expect(counted()).toEqual({ dropped: 2 });
  expect(warn).toHaveBeenCalledTimes(1);
  await sender.send({}, 1);
  expect(counted()).toEqual({ dropped: 2, exported: 1 });
  expect(info).toHaveBeenCalledTimes(1);
});

it('counts what the receiver says that it did not take', async () => {
  receiver.answer = (response) =>
    response
      .writeHead(200)
      .end(JSON.stringify({ partialSuccess: { rejectedSpans: '2', errorMessage: 'no' } }));
  const { sender, counted } = senderOf();
  await sender.send({}, 5);
  expect(counted()).toEqual({ dropped: 2, exported: 3 });
});

it.each([
  ['traces', 'ExportTraceServiceResponse', { rejectedSpans: 300 }],
  ['metrics', 'ExportMetricsServiceResponse', { rejectedDataPoints: 300 }],
] as const)('reads that also from an answer in protobuf (%s)', async (signal, message, rejected) => {
  const partialSuccess = { errorMessage: 'schön', ...rejected };
  receiver.answer = (response) =>
    response
      .writeHead(200, { 'content-type': 'application/x-protobuf' })
      .end(encodeOtlp(message, { partialSuccess }));
  const { sender, counted } = senderOf({ signal });
  await sender.send({}, 500);
  expect(counted()).toEqual({ dropped: 300, exported: 200 });
});

it.each(['', '\x0a', '\x0a\x7f\x08', '\xff'.repeat(40), '{"partialSuccess":{}}', '<html>'])(
  'an answer that says nothing of it, such as %j, took everything',
  async (answer) => {
    for (const type of ['application/x-protobuf', 'application/json', 'text/html']) {
      receiver.answer = (response) =>
        response.writeHead(200, { 'content-type': type }).end(Buffer.from(answer, 'latin1'));
      const { sender, counted } = senderOf();
      await sender.send({}, 5);
      expect(counted()).toEqual({ exported: 5 });
    }
  },
);

it('sends protobuf where that is the protocol, also compressed', async () => {
  const settings = { url: receiver.url, headers: {}, timeoutMs: 2000, protocol: 'http/protobuf' } as const;
  const request = { resourceSpans: [{ scopeSpans: [{ spans: [{ name: 'x', kind: 2 }] }] }] };
  for (const isCompressed of [false, true]) {
    const { sender, counted } = senderOf({ settings: { ...settings, isCompressed } });
    await sender.send(request, 1);
    expect(counted()).toEqual({ exported: 1 });
    expect(receiver.requests.at(-1)).toMatchObject({
      headers: {
        'content-type': 'application/x-protobuf',
        ...(isCompressed && { 'content-encoding': 'gzip' }),
      },
      body: request,
    });
  }
});

it('ends a wait for the next attempt when the daemon stops', async () => {
  receiver.answer = (response) => response.writeHead(503, { 'retry-after': '3600' }).end();
  const stopping = new AbortController();
  const { sender, counted } = senderOf({ stopping: stopping.signal });
  const sent = sender.send({}, 1);
  await vi.waitFor(() => expect(receiver.requests).toHaveLength(1), 20_000);
  stopping.abort(new Error('svc stops'));
  await sent;
  expect(counted()).toEqual({ dropped: 1 });
});

it('a receiver that is not there drops, and never rejects', async () => {
  const { sender, counted } = senderOf({}, 'http://127.0.0.1:9');
  await sender.send({}, 2);
  expect(counted()).toEqual({ dropped: 2 });
});
