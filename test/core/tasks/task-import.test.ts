import { describe, expect, it } from 'vitest';
import type { ExportedTask } from '../../../src/contract/task.ts';
import { importTasksSchema } from '../../../src/contract/tasks.ts';
import type { Caller } from '../../../src/core/auth/caller.ts';
import { systemRuntime } from '../../../src/core/runtime.ts';
import { TaskCountStore } from '../../../src/core/storage/task-count-store.ts';
import type { NewTask } from '../../../src/core/tasks/task-columns.ts';
import { TaskExport } from '../../../src/core/tasks/task-export.ts';
import { TaskImport } from '../../../src/core/tasks/task-import.ts';
import { TaskScanStore } from '../../../src/core/tasks/task-scan-store.ts';
import { insertTasks, newTask, openStorage, type TestStorage } from '../../helpers/storage.ts';

const admin: Caller = { userId: 'user_owner', role: 'admin' };
const depth = JSON.stringify({ depth: 1 });

async function exportOf({ database }: TestStorage): Promise<{ version: '1'; tasks: ExportedTask[] }> {
  const counts = new TaskCountStore(database);
  const scan = new TaskScanStore(database);
  let text = '';
  for await (const part of new TaskExport({ scan, counts, runtime: systemRuntime }).stream(admin))
    text += part;
  return JSON.parse(text) as { version: '1'; tasks: ExportedTask[] };
}
const importInto = (storage: TestStorage, document: object, caller = admin) =>
  new TaskImport(storage).run(caller, importTasksSchema.parse(document).tasks);

/** The row of the task after it was exported here and imported there. */
async function carry(change: Partial<NewTask>, forget: (keyof ExportedTask)[] = [], caller = admin) {
  await using here = await openStorage();
  await using there = await openStorage();
  await insertTasks(here, [newTask('task_1', change)]);
  const { version, tasks } = await exportOf(here);
  for (const task of tasks) for (const field of forget) delete task[field];
  expect(await importInto(there, { version, tasks }, caller)).toMatchObject({ imported: 1, errors: [] });
  const row = await there.store.find('task_1');
  if (!row) throw new Error('The task is not there');
  return row;
}

describe('an export and its import', () => {
  it('an import keeps the security mode', async () => {
    expect(await carry({ security_mode: 'sandbox' })).toMatchObject({ security_mode: 'sandbox' });
    expect(await carry({})).toMatchObject({ security_mode: null });
  });

  it.each<Partial<NewTask>>([
    { source: 'api' },
    { source: 'cron' },
    { source: 'codehost' },
    { source: 'tracker_a' },
    { source: 'api', metadata: depth },
    { source: 'codehost', status: 'failed', completed_at: '2026-01-01T00:00:00.000Z' },
  ])('an import keeps the trust of %j, trusted or not', async (change) => {
    for (const is_trusted of [0, 1])
      expect(await carry({ ...change, is_trusted })).toMatchObject({ is_trusted });
  });

  it('an import gives untrusted text no right to run commands', async () => {
    for (const is_trusted of [0, 1])
      for (const outside of [{ source: 'codehost' }, { metadata: depth }])
        expect(await carry({ ...outside, is_trusted, may_command: 1 })).toMatchObject({ may_command: 0 });
    expect(await carry({ is_trusted: 0, may_command: 1 })).toMatchObject({ may_command: 0 });
  });

  it('an import takes the right to run commands from its caller', async () => {
    for (const may_command of [0, 1]) {
      expect(await carry({ may_command })).toMatchObject({ may_command: 1 });
      const user: Caller = { userId: 'user_bob', role: 'user' };
      expect(await carry({ may_command }, [], user)).toMatchObject({ may_command: 0, is_trusted: 0 });
    }
  });

  it('an export leaves trust out when the source implies it', async () => {
    await using storage = await openStorage();
    await insertTasks(storage, [
      newTask('inside'),
      newTask('untrusted', { is_trusted: 0 }),
      newTask('outside', { source: 'tracker_b', is_trusted: 0 }),
      newTask('believed', { source: 'tracker_b' }),
    ]);
    const { tasks } = await exportOf(storage);
    expect(tasks.map(({ id, trusted }) => [id, trusted])).toEqual([
      ['inside', undefined],
      ['untrusted', false],
      ['outside', false],
      ['believed', true],
    ]);
  });
});

describe('an export of an earlier version, without trust', () => {
  it.each(['codehost', 'tracker_a', 'tracker_b'])(
    'an older export is untrusted for tasks of %s',
    async (source) => {
      for (const is_trusted of [0, 1])
        expect(await carry({ source, is_trusted }, ['trusted'])).toMatchObject({ is_trusted: 0 });
    },
  );

  it('an older export is untrusted for tasks that a model created', async () => {
    expect(await carry({ metadata: depth, is_trusted: 0 }, ['trusted'])).toMatchObject({ is_trusted: 0 });
  });

  it('an older export is trusted for other tasks, and imports without a security mode', async () => {
    const fields = ['trusted', 'securityMode'] as const;
    for (const source of ['api', 'cron'])
      expect(await carry({ source, security_mode: 'ask' }, [...fields])).toMatchObject({
        is_trusted: 1,
        security_mode: null,
      });
  });
});

it('refuses a task with an invalid trust or security mode', async () => {
  await using storage = await openStorage();
  const task = { id: 'task_1', title: 'T', status: 'completed', createdAt: '2026-01-02T03:04:05.678Z' };
  const report = await importInto(storage, {
    version: '1',
    tasks: [
      { ...task, trusted: 'yes' },
      { ...task, securityMode: 'none' },
    ],
  });
  expect(report.errors.map(({ error }) => error.split(':')[0])).toEqual(['trusted', 'securityMode']);
});
