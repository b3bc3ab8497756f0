import { afterAll, beforeAll, expect, it } from 'vitest';
import { ensureBuilt, SvcHome } from '../../svc-binary.ts';

let home: SvcHome;
let id: string;
beforeAll(async () => {
  ensureBuilt();
  home = await SvcHome.create();
  const { code } = await home.svc(['run', '--agent', 'command', '--', 'seq 200000; echo Wrong >&2']);
  expect(code).toBe(0);
  id = (await home.svc(['tasks', 'ls', '-q'])).stdout.trim();
});
afterAll(() => home[Symbol.asyncDispose]());

it('prints the lines with a text, with their numbers', async () => {
  const found = await home.svc(['tasks', 'output', id, '--search', '99999']);
  expect(found).toEqual({ code: 0, stdout: '99999:99999\n199999:199999\n', stderr: '' });
  const wrong = await home.svc(['tasks', 'output', id, '--stderr', '--search', 'wrong']);
  expect(wrong.stdout).toBe('1:Wrong\n');
  const none = await home.svc(['tasks', 'output', id, '--stderr', '--search', 'wrong', '--case']);
  expect(none).toEqual({ code: 0, stdout: '', stderr: 'Not found: wrong\n' });
});

it('prints every hit as JSON, page by page', async () => {
  const { stdout } = await home.svc(['tasks', 'output', id, '--search', '7777', '--json']);
  const { hits, count } = JSON.parse(stdout) as { hits: { line: number }[]; count: number };
  expect(hits).toHaveLength(count);
  expect(hits.map(({ line }) => line)).toEqual(
    Array.from({ length: 200_000 }, (_, at) => at + 1).filter((line) => `${line}`.includes('7777')),
  );
});

it('prints all of the output in the log', async () => {
  const { stdout, stderr } = await home.svc(['tasks', 'logs', id]);
  expect(stdout.split('\n')).toHaveLength(200_001);
  expect(stdout.endsWith('\n199999\n200000\n')).toBe(true);
  expect(stderr).toContain('Wrong\n');
  expect(stderr).not.toContain('the rest is in');
});

it('refuses options that exclude each other', async () => {
  expect((await home.svc(['tasks', 'output', id, '--stderr', '--text'])).code).toBe(2);
  expect((await home.svc(['tasks', 'output', id, '-f', '--text'])).code).toBe(2);
  expect((await home.svc(['tasks', 'output', id, '-f', '--search', 'x'])).code).toBe(2);
  expect((await home.svc(['tasks', 'output', id, '--text'])).stdout).toContain('1\n2\n3\n');
});
