import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
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
