import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { lockDataDirectory } from '../../../../src/core/storage/data-lock.ts';
import { ensureBuilt, hasTerminals, outcomeOf, said, SvcHome } from '../../svc-binary.ts';

beforeAll(ensureBuilt);

const text = 'upgrading the database, step 3 of 7';
const stillStarting = `svc: The daemon is still starting: ${text}. See: svc daemon status`;

/** A home whose daemon, this process, upgrades its database and does not get on. */
async function startUpgrade(home: SvcHome) {
  const lock = await lockDataDirectory(join(home.folder, 'daemon.lock'));
  const starting = { text, done: 2, total: 5 };
  writeFileSync(join(home.folder, 'daemon.json'), JSON.stringify({ pid: process.pid, starting }));
  return {
    [Symbol.dispose]: () => lock.release(),
    /** Resolves once the daemon that a client started has given way to this one. */
    hasGivenWay: () =>
      vi.waitFor(() => {
        expect(readFileSync(join(home.folder, 'daemon.log'), 'utf8')).toContain('uses this data folder');
      }, 30_000),
  };
}

describe('a command that waits for a daemon which upgrades its database', () => {
  it('says on Ctrl-C what the daemon still does, on stderr alone', async () => {
    await using home = await SvcHome.create();
    using upgrade = await startUpgrade(home);
    const listing = home.start(['tasks', 'ls', '--json']);
    await upgrade.hasGivenWay();
    listing.kill('SIGINT');
    const { code, stdout, stderr } = outcomeOf(await listing);
    expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
    expect(JSON.parse(stderr)).toMatchObject({
      error: { message: `The daemon is still starting: ${text}.`, hint: 'See: svc daemon status' },
    });
  });

  it.runIf(hasTerminals)('shows the step on a terminal, in one line', async () => {
    await using home = await SvcHome.create();
    using _ = await startUpgrade(home);
    const running = home.startOnTerminal(['run', '--agent', 'command', '--', 'true']);
    await said(running, 'stdout', /upgrading the database, step 3 of 7: 40 %/);
    running.stdin.write('\x03');
    const { code, stdout } = outcomeOf(await running);
    expect(code).toBe(130);
    const [before = '', after = ''] = stripVTControlCharacters(stdout).split('^C');
    expect(before).not.toContain('\n');
    expect(after.trim()).toBe(stillStarting);
  });
});

describe('Ctrl-C', () => {
  it.each([
    [['tasks', 'export', '--output', 'kept'], 'was not written.'],
    [['backup', 'kept'], 'was not written.'],
    [['data', 'prune'], 'Stopped waiting; the daemon continues to remove old data. See: svc data usage'],
    [['data', 'archive'], 'Stopped waiting; the daemon continues to archive audit entries.'],
  ])('leaves a truthful message and no files: %j', async (args, message) => {
    await using home = await SvcHome.create();
    const isAsked = Promise.withResolvers<void>();
    const server = createServer((request, response) => {
      if (request.method === 'GET' || request.url?.includes('backup')) {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write('{"version":"1","taskCount":2,"tasks":[{}');
      }
      isAsked.resolve();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
    const before = readdirSync(home.folder);
    const running = home.start([...args, '--url', url], { cwd: home.folder });
    await isAsked.promise;
    running.kill('SIGINT');
    const { code, stdout, stderr } = outcomeOf(await running);
    server.closeAllConnections();
    server.close();
    expect({ code, stdout }, stderr).toEqual({ code: 130, stdout: '' });
    expect(stderr).toContain(message);
    expect(readdirSync(home.folder)).toEqual(before);
  });
});
