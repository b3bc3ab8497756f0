import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type BenchServer, startServer, cpuOfServer } from './child.ts';

/** What the model of the bench is to say. */
export interface Speech {
  pieces: number;
  everyMs: number;
}

/** Where a model can be asked. */
export interface Way {
  server: BenchServer;
  path: string;
}

/** What the reader of a streamed answer saw, in milliseconds. */
export interface Heard {
  /** From the request to the first byte of the answer's body. */
  firstByte: number;
  /** From the request to the first piece that the model wrote. */
  firstPiece: number;
  /** Of each piece, from the moment in which the model wrote it. */
  delays: number[];
}

const agent = new Agent({ keepAlive: true });

const completion = (speech: Speech, stream: boolean) => ({
  model: 'bench',
  stream,
  messages: [{ role: 'user', content: JSON.stringify(speech) }],
});

async function post({ server, path }: Way, input: object): Promise<IncomingMessage> {
  const body = JSON.stringify(input);
  const headers = { ...server.headers, 'content-type': 'application/json' };
  const asked = request(`${server.url}${path}`, { method: 'POST', headers, agent }).end(body);
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200 && response.statusCode !== 201)
    throw new Error(`${path} answered ${response.statusCode}: ${await text(response)}`);
  return response;
}

/** Milliseconds until the whole answer is there. */
export async function ask(way: Way): Promise<number> {
  const began = performance.now();
  await text(await post(way, completion({ pieces: 1, everyMs: 0 }, false)));
  return performance.now() - began;
}

export async function listen(way: Way, speech: Speech): Promise<Heard> {
  return hear(way, completion(speech, true), speech.pieces);
}

/** As `listen`, for an agentic message in a conversation of its own; its creation is not part of the times. */
export async function listenToTurn({ server }: Way, speech: Speech): Promise<Heard> {
  const path = '/api/chat/conversations';
  const { conversation } = JSON.parse(await text(await post({ server, path }, {}))) as {
    conversation: { id: string };
  };
  const messages = { server, path: `${path}/${conversation.id}/messages/agentic` };
  return hear(messages, { content: JSON.stringify(speech) }, speech.pieces);
}

async function hear(way: Way, input: object, pieces: number): Promise<Heard> {
  const began = performance.now();
  const response = await post(way, input);
  const delays: number[] = [];
  let firstByte = 0;
  let firstPiece = 0;
  let rest = '';
  for await (const bytes of response as AsyncIterable<Buffer>) {
    if (firstByte === 0) firstByte = performance.now() - began;
    const now = process.hrtime.bigint();
    const frames = (rest + bytes.toString('latin1')).split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      // It repeats the whole answer.
      if (frame.includes('"type":"summary"')) continue;
      for (const [, written] of frame.matchAll(/@(\d+) /g)) {
        if (firstPiece === 0) firstPiece = performance.now() - began;
        delays.push(Number(now - BigInt(written ?? 0)) / 1e6);
      }
    }
  }
  if (delays.length !== pieces)
    throw new Error(`${delays.length} pieces of ${pieces} came through ${way.path}`);
  return { firstByte, firstPiece, delays };
}

/** The CPU milliseconds that the process of a server has used. */
export async function cpuOf({ server }: Way): Promise<number> {
  return (await cpuOfServer(server)) / 1000;
}

/** The CPU milliseconds for 1,000 pieces, of so many streams at once. */
export async function cpuOfPieces(way: Way, streams: number, speech: Speech): Promise<number> {
  const before = await cpuOf(way);
  await Promise.all(Array.from({ length: streams }, () => listen(way, speech)));
  return ((await cpuOf(way)) - before) / ((streams * speech.pieces) / 1000);
}

export async function startModel(): Promise<Way> {
  return { server: await startServer('model'), path: '/v1/chat/completions' };
}

/** A server that hands on what it is asked, and nothing else. */
export async function startBefore(
  model: Way,
  file: 'pass-through' | 'portkey' | 'fastify-proxy',
): Promise<Way> {
  return { server: await startServer(file, { BENCH_MODEL: model.server.url }), path: model.path };
}

/** A daemon whose provider is that model. */
export async function startCompletions(model: Way): Promise<Way> {
  const home = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const daemon = await startServer('daemon', { SVC_HOME: home, POOL_MAX_CONCURRENT: '40' });
  const configured = await fetch(`${daemon.url}/api/chat/providers/openai/configure`, {
    method: 'POST',
    headers: { ...daemon.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ apiKey: 'bench', baseUrl: `${model.server.url}/v1`, defaultModel: 'bench' }),
  });
  if (!configured.ok) throw new Error(await configured.text());
  const stop = async () => {
    await daemon.stop();
    rmSync(home, { recursive: true });
  };
  return { server: { ...daemon, stop }, path: '/api/chat/completions' };
}
