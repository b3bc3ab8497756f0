import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SetupCode } from '../../../src/core/auth/setup-code.ts';
import { systemRuntime as runtime } from '../../../src/core/runtime.ts';
import { SecretBox } from '../../../src/core/secrets/secret-box.ts';
import { temporaryFolder } from '../../helpers/daemon.ts';
import { openStorage } from '../../helpers/storage.ts';

const box = new SecretBox(Buffer.alloc(32, 7));
const newFile = () => join(temporaryFolder(), 'setup-code');

it('daemons that start at once on a database have one code, each in its own file', async () => {
  await using storage = await openStorage();
  const files = [newFile(), newFile(), newFile()];
  const codes = files.map((file) => new SetupCode(file));
  await Promise.all(codes.map((code) => code.ensure({ ...storage, box, runtime })));
  const [first = ''] = codes.map((code) => code.read());
  expect(first).toMatch(/^[\w-]{20}$/);
  expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(files.map(() => `${first}\n`));
  expect(codes.map((code) => code.matches(first))).toEqual([true, true, true]);
  expect(codes.map((code) => code.matches(`${first}x`))).toEqual([false, false, false]);
  const state = await storage.database.read.selectFrom('state').selectAll().execute();
  expect(JSON.stringify(state)).not.toContain(first);
});

it('the code of an earlier version stays valid', async () => {
  await using storage = await openStorage();
  const file = newFile();
  writeFileSync(file, 'of-before\n');
  const code = new SetupCode(file);
  await code.ensure({ ...storage, box, runtime });
  expect(code.matches('of-before')).toBe(true);
});

it('a daemon that lost its file writes it again', async () => {
  await using storage = await openStorage();
  const file = newFile();
  const code = new SetupCode(file);
  await code.ensure({ ...storage, box, runtime });
  const text = readFileSync(file, 'utf8');
  rmSync(file);
  await new SetupCode(file).ensure({ ...storage, box, runtime });
  expect(readFileSync(file, 'utf8')).toBe(text);
});

it('ends for all daemons with the transaction that removes it', async () => {
  await using storage = await openStorage();
  const file = newFile();
  const code = new SetupCode(file);
  await code.ensure({ ...storage, box, runtime });
  const before = code.read() ?? '';
  await storage.database.write((transaction) => code.remove(transaction));
  expect(code.matches(before)).toBe(false);
  expect(existsSync(file)).toBe(false);
  expect(await storage.database.read.selectFrom('state').selectAll().execute()).toEqual([]);
});
