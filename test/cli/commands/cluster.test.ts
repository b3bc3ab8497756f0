import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { startLoopbackServer } from '../../core/outbound/loopback-server.ts';
import { ensureBuilt, SvcHome } from '../svc-binary.ts';

beforeAll(ensureBuilt);

it('svc cluster init creates a private seed once, says what is next, and never prints the seed', async () => {
  await using home = await SvcHome.create();
  const file = join(home.folder, 'secrets', 'seed');
  const env = { SVC_MASTER_SEED_FILE: file };
  const made = await home.svc(['cluster', 'init'], { env });
  expect(made).toMatchObject({ code: 0, stdout: '' });
  const seed = readFileSync(file, 'utf8');
  expect(seed).toMatch(/^[0-9a-f]{64}\n$/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(made.stderr).toContain(`SVC_MASTER_SEED_FILE=${file} svc devices identity --export`);
  expect(made.stderr).not.toContain(seed.trim());

  const again = await home.svc(['cluster', 'init'], { env });
  expect(again).toMatchObject({ code: 6, stderr: expect.stringContaining(`${file} already exists`) });
  expect(readFileSync(file, 'utf8')).toBe(seed);

  const words = await home.svc(['devices', 'identity', '--export'], { env });
  expect(words.stdout.trim().split(/\s+/)).toHaveLength(24);
});

it('svc cluster init creates the seed in the file of --file, else in the data directory', async () => {
  await using home = await SvcHome.create();
  const file = join(home.folder, 'elsewhere');
  const named = await home.svc(['cluster', 'init', '--file', file, '--json']);
  expect(JSON.parse(named.stdout)).toEqual({ file });
  const usual = await home.svc(['cluster', 'init', '--json']);
  expect(JSON.parse(usual.stdout)).toEqual({ file: join(home.folder, 'identity') });
  expect(readFileSync(file, 'utf8')).not.toBe(readFileSync(join(home.folder, 'identity'), 'utf8'));
});

it('a daemon in mode pro that lacks something exits with 78 and names the command', async () => {
  await using home = await SvcHome.create();
  const outcome = await home.svc(['daemon'], { env: { SVC_MODE: 'pro' } });
  expect(outcome).toMatchObject({ code: 78, stderr: expect.stringContaining('svc cluster init') });
});

it('svc cluster ls says which daemons are older than the newest, and what to do', async () => {
  await using home = await SvcHome.create();
  const daemon = (name: string, version: string, state: string) => ({
    id: `daemon_${name}`,
    name,
    host: name,
    version,
    role: 'all',
    labels: [],
    agents: [],
    startedAt: '2026-11-27T07:00:00.000Z',
    lastSeenAt: '2026-11-27T07:00:00.000Z',
    running: 0,
    slots: 4,
    drained: false,
    state,
  });
  const versions = (...all: string[]) => [
    ...all.map((version, at) => daemon(`web-${at + 1}`, version, 'ready')),
    daemon('gone', '0.1.0', 'silent'),
  ];
  let daemons = versions('0.9.1', '0.10.0', '0.9.1');
  await using server = await startLoopbackServer((response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ mode: 'pro', answeredBy: 'daemon_web-2', daemons }));
  });
  const mixed = await home.svc(['cluster', 'ls', '--url', server.url]);
  expect(mixed.code).toBe(0);
  expect(mixed.stdout).toMatch(/^\* +web-2 .* 0\.10\.0/m);
  expect(mixed.stderr).toBe(
    '! 2 of 3 daemons are older than svc 0.10.0. Upgrade one after the other: svc cluster drain <daemon> --stop\n',
  );
  daemons = versions('0.10.0', '0.10.0');
  expect(await home.svc(['cluster', 'ls', '--url', server.url])).toMatchObject({ code: 0, stderr: '' });
});
