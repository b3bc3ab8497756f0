import { once } from 'node:events';
import type { Server } from 'node:http';
import { hasSharedFixtures } from './shared-fixture.ts';

const tool = new URL('../../../shared/tools/replay-server.mjs', import.meta.url);

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
  } | null;
}

interface Replay {
  server: Server;
  cases: Map<string, { meta: RecordedCase }>;
}

export interface ReplayServer extends AsyncDisposable {
  url: string;
}

/** Every case that the server can play; none where there are no fixtures. */
export async function loadRecordings(): Promise<RecordedCase[]> {
  if (!hasSharedFixtures) return [];
  const { loadCases } = (await import(tool.href)) as { loadCases: (roots: string[]) => Replay['cases'] };
  const cases = loadCases([new URL('../../../shared/fixtures', import.meta.url).pathname]);
  return [...cases.values()].map(({ meta }) => meta);
}

/** Plays what vendors answered, byte for byte, on a free port. */
export async function startReplayServer(): Promise<ReplayServer> {
  const { createReplayServer } = (await import(tool.href)) as { createReplayServer: () => Replay };
  const { server } = createReplayServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
