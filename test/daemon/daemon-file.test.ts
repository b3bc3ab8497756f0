import { existsSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { DaemonFile } from '../../src/daemon/daemon-file.ts';
import { temporaryFolder } from '../helpers/daemon.ts';

function createFile() {
  const folder = temporaryFolder();
  const path = join(folder, 'daemon.json');
  const clock = { time: 0 };
  const deps = { path, monotonic: () => clock.time, now: () => new Date(0) };
  const file = new DaemonFile(deps);
  onTestFinished(async () => {
    await file.remove();
    rmSync(folder, { recursive: true });
  });
  return { file, path, clock, read: () => JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown> };
}
const step = (text: string, done = 0, total = 0) => ({ text, done, total });

it('says what a start does, then where the daemon serves', async () => {
  const { file, path, clock, read } = createFile();
  file.starting(step('copying', 1, 9));
  expect(read()).toMatchObject({ pid: process.pid, starting: { text: 'copying', done: 1, total: 9 } });
  expect(read()).not.toHaveProperty('url');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  file.starting(step('copying', 2, 9));
  expect(read()).toMatchObject({ starting: { done: 1 } });
  clock.time = 200;
  file.starting(step('copying', 3, 9));
  expect(read()).toMatchObject({ starting: { done: 3 } });
  file.starting(step('upgrading'));
  expect(read()).toMatchObject({ starting: { text: 'upgrading' } });
  await file.ready('http://127.0.0.1:1');
  expect(read()).toMatchObject({ url: 'http://127.0.0.1:1', startedAt: '1970-01-01T00:00:00.000Z' });
  expect(read()).not.toHaveProperty('starting');
});

it('gives signs of life while a statement blocks this thread', () => {
  const { file, path } = createFile();
  file.starting(step('upgrading'));
  utimesSync(path, 0, 0);
  const pause = new Int32Array(new SharedArrayBuffer(4));
  // Blocks as SQLite does: nothing of this thread runs until the other one has touched the file.
  for (let n = 0; n < 600 && statSync(path).mtimeMs === 0; n++) Atomics.wait(pause, 0, 0, 100);
  expect(statSync(path).mtimeMs).toBeGreaterThan(0);
});

it('removes the file of a start that failed, and never that of another daemon', async () => {
  const { file, path } = createFile();
  writeFileSync(path, 'of another daemon');
  await file.failed();
  expect(readFileSync(path, 'utf8')).toBe('of another daemon');
  file.starting(step('upgrading'));
  await file.failed();
  expect(existsSync(path)).toBe(false);
});
