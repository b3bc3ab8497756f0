import { afterAll, beforeAll, expect, it } from 'vitest';
import { ensureBuilt, SvcHome } from '../../svc-binary.ts';

let home: SvcHome;
beforeAll(async () => {
  ensureBuilt();
  home = await SvcHome.create();
  await home.svc(['run', '--agent', 'command', '--', 'true']);
});
afterAll(() => home[Symbol.asyncDispose]());

it('shows where the time of a task went, in lines of at most 100 columns for a pipe, and as JSON', async () => {
  const id = (await home.svc(['tasks', 'ls', '-q'])).stdout.trim();
  const { code, stdout, stderr } = await home.svc(['tasks', 'trace', id]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^task_\S+ {2}completed\n/);
  expect(stdout).toMatch(/^task +\d+.* ─+$/m);
  expect(stdout).toMatch(/^ {2}queue +\d+.* +┈+$/m);
  expect(stdout).toMatch(/^ {2}attempt 1 · command +\d+.* ─+$/m);
  for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
  const json = JSON.parse((await home.svc(['tasks', 'trace', id, '--json'])).stdout) as { spans: unknown[] };
  expect(json.spans[0]).toMatchObject({ name: 'task', kind: 'task', status: 'ok' });
});

it('exits with 5 for a task that is not there', async () => {
  expect((await home.svc(['tasks', 'trace', 'task_nothing'])).code).toBe(5);
});
