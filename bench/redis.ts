import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';

/** A redis-server on a port of its own, which keeps what the flags say. */
export async function startRedis(persistence: readonly string[]) {
  const port = await freePort();
  const redis = spawn(
    'redis-server',
    ['--port', String(port), '--save', '', '--bind', '127.0.0.1', ...persistence],
    {
      cwd: mkdtempSync(join(tmpdir(), 'svc-redis-')),
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const failed = once(redis, 'error').then(([error]) => {
    throw new Error('redis-server is not installed, and it is what this is measured beside', {
      cause: error,
    });
  });
  let said = '';
  while (!said.includes('Ready to accept connections')) {
    const [chunk] = (await Promise.race([once(redis.stdout, 'data'), failed])) as [Buffer];
    said += chunk.toString();
  }
  return { port, stop: () => void redis.kill() };
}
