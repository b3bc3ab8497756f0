import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeSkew } from '../../../src/cli/connection/version-skew.ts';
import { readVersion } from '../../../src/cli/program/version.ts';
import { isNewerVersion } from '../../../src/contract/is-newer-version.ts';
import { type LoopbackServer, startLoopbackServer } from '../../core/outbound/loopback-server.ts';
import { startDaemon } from '../../helpers/daemon.ts';
import { ensureBuilt, hasTerminals, outcomeOf, SvcHome } from '../svc-binary.ts';

describe('describeSkew', () => {
  const local = { url: 'http://127.0.0.1:4310', isLocal: true };
  it('finds nothing where the versions are the same', () => {
    expect(describeSkew(readVersion(), local)).toBeUndefined();
  });

  it('names what has to be restarted or upgraded', () => {
    expect(describeSkew('0.0.1', local)?.next).toBe('Restart it: svc daemon restart');
    expect(describeSkew('0.0.1', { ...local, isLocal: false })?.next).toBe('Upgrade it there: svc upgrade');
    expect(describeSkew('99.0.0', local)).toMatchObject({
      message: `The daemon at http://127.0.0.1:4310 is svc 99.0.0, this command is ${readVersion()}`,
      next: 'Upgrade this one: svc upgrade',
    });
  });
});

it.each([
  ['1.2.10', '1.2.9', true],
  ['1.2.9', '1.2.10', false],
  ['2.0.0', '1.9.9', true],
  ['1.2.3', '1.2.3', false],
  ['1.2.3-beta.1', '1.2.3', false],
  ['not a version', '1.0.0', false],
])('isNewerVersion(%j, %j) is %j', (version, than, isNewer) => {
  expect(isNewerVersion(version, than)).toBe(isNewer);
});

it('sends the version to signed-in callers only', async () => {
  await using daemon = await startDaemon();
  const versionFor = async (path: string, headers: Record<string, string>) =>
    (await fetch(`${daemon.url}${path}`, { headers })).headers.get('svc-version');
  expect(await versionFor('/api/tasks', daemon.headers)).toBe(readVersion());
  expect(await versionFor('/api/tasks', {})).toBeNull();
  expect(await versionFor('/api/health', {})).toBeNull();
});

describe.skipIf(!hasTerminals)('the notice of another version (needs script of util-linux)', () => {
  let server: LoopbackServer;
  let home: SvcHome;
  beforeAll(async () => {
    ensureBuilt();
    server = await startLoopbackServer((response) =>
      response
        .writeHead(200, { 'content-type': 'application/json', 'svc-version': '99.0.0' })
        .end('{"agents":[]}'),
    );
    home = await SvcHome.create();
  });
  afterAll(async () => {
    await home[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  it('is printed once a day on a terminal, and takes no request', async () => {
    const args = ['agents', 'ls', '--json', '--url', server.url];
    const notice = 'is svc 99.0.0, this command is';
    expect((await home.svc(args)).stderr).not.toContain(notice);
    const inCi = outcomeOf(await home.startOnTerminal(args, { env: { CI: '1' } }));
    expect(inCi.stdout).not.toContain(notice);
    const shown = stripVTControlCharacters(outcomeOf(await home.startOnTerminal(args)).stdout);
    expect(shown).toContain(
      `! The daemon at ${server.url} ${notice} ${readVersion()}. Upgrade this one: svc upgrade`,
    );
    expect(outcomeOf(await home.startOnTerminal(args)).stdout).not.toContain(notice);
    expect(server.requests.map(({ path }) => path)).toEqual(Array(4).fill('/api/agents'));
  });
});
