import { silentLog } from '../../../../src/core/log.ts';
import { expect, it } from 'vitest';
import type { Experience, Origin, CreateExperience } from '../../../../src/contract/experiences.ts';
import { Config } from '../../../../src/core/config/config.ts';
import { AppError } from '../../../../src/core/errors.ts';
import { type FinishedRun, TaskLessons } from '../../../../src/core/chat/recall/task-lessons.ts';
import type { NewEvent } from '../../../../src/core/tasks/new-event.ts';
import type { NewTask } from '../../../../src/core/tasks/task-columns.ts';
import { TaskFinishWatcher } from '../../../../src/core/tasks/task-finish-watcher.ts';
import { insertTasks, newTask, openStorage } from '../../../helpers/storage.ts';
import { experience } from './recall-fixture.ts';

const read = { name: 'read_file', arguments: { path: 'a' }, result: 'x', status: 'success' as const };
const ended = (change: Partial<FinishedRun> = {}): FinishedRun => ({
  answer: 'Done.',
  calls: [read],
  recalled: [],
  isTainted: false,
  hasRefusals: false,
  ...change,
});

async function openLessons({ learns = true, known = [] }: { learns?: boolean; known?: Experience[] } = {}) {
  const storage = await openStorage();
  const { database, store, bus } = storage;
  const recorded: { input: CreateExperience; origin: Origin | undefined }[] = [];
  const used: string[] = [];
  const noted: string[] = [];
  const note = (_: object, message: string) => void noted.push(message);
  const experiences = {
    record: async (_: unknown, input: CreateExperience, origin?: Origin) => {
      recorded.push({ input, origin });
      return experience('exp_new');
    },
    use: async (caller: { userId: string }, id: string) => {
      const found = known.find((each) => each.id === id);
      if (!found) throw new AppError('not_found', 'Experience not found');
      used.push(`${caller.userId} ${id}`);
      return found;
    },
  };
  const lessons = new TaskLessons({
    database,
    store,
    finishWatcher: new TaskFinishWatcher(bus, database, silentLog),
    experiences,
    config: new Config({
      flags: { 'memory.learn': learns },
      env: {},
      settingsFile: '/nowhere/settings.json',
    }),
    log: { debug: note, info: note, warn: note, error: note },
  });
  const running = (id: string, change: Partial<NewTask> = {}) =>
    insertTasks(storage, [
      newTask(id, { status: 'in_progress', attempts: 1, agent_type: 'builtin', ...change }),
    ]);
  const end = async (id: string, move: 'complete' | 'fail' | 'cancel', events: NewEvent[] = []) => {
    const task = await store.findHead(id);
    if (!task) throw new Error('The task is not there');
    const type = ({ complete: 'completed', fail: 'failed', cancel: 'cancelled' } as const)[move];
    await database.write((transaction) =>
      store.move(transaction, task, move, new Date(), {}, [...events, { type, message: type }]),
    );
  };
  return { lessons, experiences, recorded, used, noted, running, end, ...storage };
}

it('learns from a task once it is completed, and only once', async () => {
  const { lessons, recorded, running, end } = await openLessons();
  await running('task_1', { labels: '["doors"]' });
  lessons.learnOnCompletion('task_1', ended({ answer: 'An end that was not stored' }));
  lessons.learnOnCompletion('task_1', ended({ conversationId: 'conv_1' }));
  expect(recorded).toEqual([]);
  // Several events follow the completion.
  await end('task_1', 'complete', [{ type: 'output', message: 'Done.' }]);
  await lessons.close();
  expect(recorded).toEqual([
    {
      input: {
        type: 'tool_chain',
        intent: 'task_1',
        solution: ['read_file a', 'Done.'],
        successScore: 0.5,
        tags: ['doors', 'builtin'],
      },
      origin: {
        kind: 'task',
        userId: 'user_owner',
        taskId: 'task_1',
        conversationId: 'conv_1',
        trusted: true,
        verified: false,
      },
    },
  ]);
});

it('learns nothing from a run whose calls were refused, and does not hold its memories for helpful', async () => {
  const { lessons, recorded, used, running, end } = await openLessons({ known: [experience('exp_1')] });
  await running('task_1');
  lessons.learnOnCompletion('task_1', ended({ recalled: ['exp_1'] }));
  // What counts is how it ended the last time.
  lessons.learnOnCompletion('task_1', ended({ recalled: ['exp_1'], hasRefusals: true }));
  await end('task_1', 'complete');
  await lessons.close();
  expect([recorded, used]).toEqual([[], []]);
});

it.each(['fail', 'cancel'] as const)('learns nothing after %s', async (move) => {
  const { lessons, recorded, used, running, end } = await openLessons({ known: [experience('exp_1')] });
  await running('task_1');
  lessons.learnOnCompletion('task_1', ended({ recalled: ['exp_1'] }));
  await end('task_1', move);
  await lessons.close();
  expect([recorded, used]).toEqual([[], []]);
});

it('learns nothing from an untrusted task or when learning is disabled', async () => {
  for (const [learns, is_trusted] of [
    [true, 0],
    [false, 1],
  ] as const) {
    const { lessons, recorded, running, end } = await openLessons({ learns });
    await running('task_1', { is_trusted });
    lessons.learnOnCompletion('task_1', ended());
    await end('task_1', 'complete');
    await lessons.close();
    expect(recorded).toEqual([]);
  }
});

it('marks a lesson as untrusted after untrusted text, even when compacted away', async () => {
  const { lessons, recorded, running, end } = await openLessons({ known: [experience('exp_1')] });
  await running('task_1');
  lessons.learnOnCompletion('task_1', ended({ recalled: ['exp_gone', 'exp_1'], isTainted: true }));
  await end('task_1', 'complete');
  await lessons.close();
  expect(recorded[0]?.origin).toMatchObject({ trusted: false });
});

it('marks recalled experiences as used and does not record them again', async () => {
  const same = experience('exp_1', { type: 'tool_chain', intent: 'task_1' });
  const { lessons, recorded, used, noted, running, end } = await openLessons({ known: [same] });
  await running('task_1');
  lessons.learnOnCompletion('task_1', ended({ recalled: ['exp_gone', 'exp_1'] }));
  await end('task_1', 'complete');
  await lessons.close();
  expect(used).toEqual(['user_owner exp_1']);
  expect(recorded).toEqual([]);
  expect(noted).toEqual(['an experience could not be marked as used']);
});

it('learns how the failure of an earlier attempt was resolved', async () => {
  const { lessons, recorded, running, end, database, store } = await openLessons();
  await running('task_1', { attempts: 2 });
  const head = await store.findHead('task_1');
  const failed = (code: string): NewEvent => ({
    type: 'retry_scheduled',
    message: `It was ${code}`,
    data: { code },
  });
  if (head)
    await database.write((transaction) =>
      store.addEvents(transaction, head, new Date(), [failed('network'), failed('timeout')]),
    );
  lessons.learnOnCompletion('task_1', ended());
  await end('task_1', 'complete');
  await lessons.close();
  expect(recorded[0]?.input).toMatchObject({
    type: 'error_recovery',
    solution: ['At first it failed: timeout: It was timeout', 'read_file a', 'Done.'],
  });
});

it('learns how the failure of the retried task was resolved', async () => {
  const { lessons, recorded, running, end } = await openLessons();
  const error = JSON.stringify({ class: 'budget', code: 'max_steps', message: 'Not done' });
  await running('task_1', { error });
  await end('task_1', 'fail');
  await running('task_2', { retried_from: 'task_1' });
  lessons.learnOnCompletion('task_2', ended());
  await end('task_2', 'complete');
  await lessons.close();
  expect(recorded[0]?.input).toMatchObject({
    type: 'error_recovery',
    solution: ['At first it failed: max_steps: Not done', 'read_file a', 'Done.'],
  });
});

it('accepts a rejection by the write gate', async () => {
  const { lessons, experiences, noted, running, end } = await openLessons();
  experiences.record = () => Promise.reject(new AppError('validation', 'It holds a secret'));
  await running('task_1');
  lessons.learnOnCompletion('task_1', ended());
  await end('task_1', 'complete');
  await lessons.close();
  expect(noted).toEqual(['nothing was learned from a task']);
});
