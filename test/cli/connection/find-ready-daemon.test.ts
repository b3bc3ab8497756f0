import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { locate } from '../../../src/contract/locations.ts';
import { findReadyDaemon } from '../../../src/cli/connection/start-daemon-process.ts';
import { temporaryFolder } from '../../helpers/daemon.ts';

it.each([
  [200, { status: 'ready' }, true],
  [503, { status: 'unavailable', reason: 'The disk is full' }, true],
  [503, { status: 'starting' }, false],
  [503, { status: 'stopping' }, false],
  [502, 'Bad gateway', false],
])('a daemon that answers %i %j is found: %s', async (code, body, isFound) => {
  const server = createServer((_, response) => {
    response.writeHead(code).end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  const home = temporaryFolder();
  try {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
    const locations = locate({ env: { SVC_HOME: home }, platform: process.platform, home });
    const description = { pid: process.pid, url, version: '1', startedAt: new Date().toISOString() };
    writeFileSync(locations.daemonFile, JSON.stringify(description));
    expect((await findReadyDaemon(locations)) !== undefined).toBe(isFound);
  } finally {
    server.close();
    rmSync(home, { recursive: true });
  }
});
