import { expect, it } from 'vitest';
import { isCallTainted, isConversationTainted } from '../../../../src/core/chat/runs/taint.ts';
import type { NewTask } from '../../../../src/core/tasks/task-columns.ts';
import { insertTasks, newTask, openStorage } from '../../../helpers/storage.ts';

const result = { success: true, content: 'done' };
const failed = { success: false, content: 'No' };

it.each([
  ['a file', 'read_file', { result }, false],
  ['a web page', 'web_fetch', { result }, true],
  ['a web page that was not found', 'web_fetch', { result: failed }, true],
  ['a command in a sandbox', 'run_command', { result, environment: 'sandbox' }, false],
  ['a failed command in a sandbox', 'run_command', { result: failed, environment: 'sandbox' }, false],
  ['a command outside of it', 'run_command', { result, environment: 'no sandbox' }, true],
  ['a failed command outside of it', 'run_command', { result: failed, environment: 'no sandbox' }, true],
  ['a command with an unknown environment', 'run_command', { result }, true],
  ['a command that was refused', 'run_command', { result: failed }, false],
  ['a web page in a sandbox', 'web_fetch', { result, environment: 'sandbox' }, true],
])('detects untrusted text in a call: %s', (_, name, ran, expected) => {
  expect(isCallTainted(name, ran)).toBe(expected);
});

async function isTainted(task: Partial<NewTask> | 'none' | 'gone', ...tools: string[]) {
  await using storage = await openStorage();
  const { database, store } = storage;
  if (typeof task === 'object') await insertTasks(storage, [newTask('task_1', task)]);
  const at = '2026-01-01T00:00:00.000Z';
  const calls = tools.map((name) => ({ name, arguments: {}, result: 'x', status: 'success' }));
  await database.write(async ({ db }) => {
    const conversation = { owner_id: 'user_owner', preset_id: 'assistant', task_id: null, cwd: null };
    // Messages that were summarized count too.
    const times = {
      message_count: 2,
      summary: 'Much',
      summary_seq: 2,
      turn_fence: 0,
      turn_stop: 0,
      created_at: at,
      updated_at: at,
    };
    const common = { ...conversation, ...times };
    const ids = ['conv_1', 'conv_2'];
    await db
      .insertInto('conversations')
      .values(ids.map((id) => ({ ...common, id, title: id })))
      .execute();
    const said = { provider: null, model: null, prompt_tokens: null, completion_tokens: null };
    const message = { ...said, total_tokens: null, content: 'Hm', role: 'assistant', created_at: at };
    const foreign = JSON.stringify([{ ...calls[0], name: 'web_fetch' }]);
    await db
      .insertInto('messages')
      .values([
        { ...message, id: 'msg_1', conversation_id: 'conv_1', seq: 1, tool_calls: null },
        { ...message, id: 'msg_2', conversation_id: 'conv_1', seq: 2, tool_calls: JSON.stringify(calls) },
        { ...message, id: 'msg_3', conversation_id: 'conv_2', seq: 1, tool_calls: foreign },
      ])
      .execute();
  });
  const task_id = task === 'none' ? null : 'task_1';
  return await isConversationTainted({ database, tasks: store }, { id: 'conv_1', task_id });
}

it.each([
  ['of no task', 'none', [], false],
  ['of a task', {}, [], false],
  ['of an untrusted task', { is_trusted: 0 }, [], true],
  ['of a deleted task', 'gone', [], true],
  ['of a task with a result', { result: '{"output":"x"}' }, [], true],
  ['of a task that failed', { error: '{"class":"unknown","code":"x","message":"x"}' }, [], true],
  ['of a task that a model created', { metadata: '{"depth":1}' }, [], true],
  ['of a task with other metadata', { metadata: '{"deep":1}' }, [], false],
  ['that called local tools', 'none', ['read_file', 'grep'], false],
  ['that called other tools too', 'none', ['read_file', 'task_status'], true],
  ['that ran a command', 'none', ['run_command'], true],
] as const)('detects untrusted text in a conversation %s', async (_, task, tools, expected) => {
  expect(await isTainted(task, ...tools)).toBe(expected);
});
