import { once } from 'node:events';
import type { Server } from 'node:http';
import { hasSharedFixtures } from './shared-fixture.ts';

const tool = new URL('../../../shared/tools/replay-server.mjs', import.meta.url);

/** What vendors really answered, and beside the tests what is made by hand for want of it. */
const roots = ['../../../shared/fixtures', '../fixtures'].map(
  (path) => new URL(path, import.meta.url).pathname,
);

/** A true answer of a vendor, and what it says. */
export interface RecordedCase {
  id: string;
  provider: string;
  api: string;
  class: string;
  request: { path: string; query: string; stream: boolean };
  response: { status: number; bytes: number };
  expect: {
    text: string;
    finish: string | null;
    usage: Record<string, number | null> | null;
    error?: unknown;
    toolCalls: RecordedCall[];
  } | null;
}

interface Replay {
  server: Server;
  log: ReplayedRequest[];
  cases: Map<string, { meta: RecordedCase }>;
}

export interface ReplayServer extends AsyncDisposable {
  url: string;
  /** Plays one recording after the other below `/script/<the answer>`. */
  script(steps: readonly unknown[]): Promise<string>;
  /** What was asked of a script. */
  asked(script: string): ReplayedRequest[];
}

export interface ReplayedRequest {
  url: string;
  body: unknown;
  problem?: string;
  /** Whether the connection ended before the answer did. */
  clientClosed?: boolean;
}

/** A true loop of a model and its tools. */
export interface RecordedLoop {
  id: string;
  provider: string;
  api: string;
  stream: boolean;
  /** Cases. */
  steps: string[];
  /** Of each step. */
  toolCalls: RecordedCall[][];
  finalText: string;
}

export interface RecordedCall {
  id?: string | null;
  name: string;
  /** JSON, or what the vendor sent in its place. */
  arguments: string;
}

/** Every case that the server can play; none where there are no fixtures. */
export async function loadRecordings(): Promise<RecordedCase[]> {
  if (!hasSharedFixtures) return [];
  const { loadCases } = (await import(tool.href)) as { loadCases: (roots: string[]) => Replay['cases'] };
  const cases = loadCases(roots);
  return [...cases.values()].map(({ meta }) => meta);
}

/** Plays what vendors answered, byte for byte, on a free port. */
export async function startReplayServer(): Promise<ReplayServer> {
  const { createReplayServer } = (await import(tool.href)) as {
    createReplayServer: (options: { roots: string[] }) => Replay;
  };
  const { server, log } = createReplayServer({ roots });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  return {
    url,
    async script(steps) {
      const response = await fetch(`${url}/__replay/scripts`, {
        method: 'POST',
        body: JSON.stringify({ steps }),
      });
      if (response.status !== 201) throw new Error(await response.text());
      return ((await response.json()) as { sid: string }).sid;
    },
    asked: (script) => log.filter((entry) => entry.url.startsWith(`/script/${script}/`)),
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
