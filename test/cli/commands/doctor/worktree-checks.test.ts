import { expect, it } from 'vitest';
import { ApiError, type Client } from '../../../../src/contract/client.ts';
import { worktreeChecks } from '../../../../src/cli/commands/doctor/worktree-checks.ts';

const clean = { kind: 'directory' as const, taskId: 'task_1', path: '/w/r/task_1', isClean: true };
const dirty = { kind: 'row' as const, taskId: 'task_2', path: '/w/r/task_2', isClean: false };
const clientOf = (data: Partial<Client['data']>) => ({ data }) as unknown as Client;

it('lists each orphan with what to do about it', async () => {
  const client = clientOf({ getWorktreeOrphans: async () => ({ orphans: [clean, dirty] }) });
  expect(await worktreeChecks(client, false)).toMatchObject([
    { status: 'warn', message: '/w/r/task_1 belongs to no task', next: 'Remove it: svc doctor --fix' },
    { status: 'warn', subject: 'task_2', next: expect.stringContaining('svc tasks discard task_2') },
  ]);
  const none = clientOf({ getWorktreeOrphans: async () => ({ orphans: [] }) });
  expect(await worktreeChecks(none, false)).toMatchObject([{ status: 'ok' }]);
});

it('with --fix says what was removed and what was kept', async () => {
  const client = clientOf({ removeWorktreeOrphans: async () => ({ removed: [clean], kept: [dirty] }) });
  expect(await worktreeChecks(client, true)).toMatchObject([
    { status: 'ok', message: 'Removed 1 worktree without changes' },
    { status: 'warn', subject: 'task_2' },
  ]);
});

it('says nothing to people who are no administrators', async () => {
  const refuse = () => Promise.reject(new ApiError(403, { error: 'Only for administrators' }));
  expect(await worktreeChecks(clientOf({ getWorktreeOrphans: refuse }), false)).toEqual([]);
});
