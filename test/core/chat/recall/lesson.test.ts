import { describe, expect, it } from 'vitest';
import type { ToolCall } from '../../../../src/contract/conversations.ts';
import { createExperienceSchema } from '../../../../src/contract/experiences.ts';
import type { Task } from '../../../../src/contract/task.ts';
import { untrustedMark } from '../../../../src/core/memory/learned/describe-experience.ts';
import { lessonOf } from '../../../../src/core/chat/recall/lesson.ts';
import { mayContainUntrustedText, stepsOf } from '../../../../src/core/chat/recall/run-steps.ts';
import { toTask } from '../../../../src/core/tasks/task-mapping.ts';
import { newTask } from '../../../helpers/storage.ts';
import { untouched } from '../../../../src/core/tasks/task-columns.ts';

const call = (name: string, args: ToolCall['arguments'], change: Partial<ToolCall> = {}): ToolCall => ({
  name,
  arguments: args,
  result: 'done',
  status: 'success',
  ...change,
});
const task = (change: Partial<Task> = {}): Task => ({
  ...toTask({ ...untouched, ...newTask('task_1', { agent_type: 'builtin' }), seq: 1, event_seq: 1 }),
  title: 'Paint the door',
  ...change,
});
const long = 'The door is painted in three layers. '.repeat(20);

describe('the steps of a run', () => {
  it('lists successful calls once each with their identifying argument', () => {
    const calls = [
      call('read_file', { path: 'notes.txt', offset: 3 }),
      call('read_file', { path: 'notes.txt', offset: 90 }),
      call('write_file', { path: 'a.txt', content: 'hunter2' }),
      call('edit_file', { path: 'b.txt', oldText: 'hunter2', newText: 'x' }),
      call('grep', { pattern: 'door' }, { status: 'error' }),
      call('run_command', { command: 'npm run test:unit -- --token=hunter2' }),
      call('run_command', { command: 'PGPASSWORD=hunter2 psql' }),
      call('run_command', { command: '/usr/bin/mysql -phunter2 doors' }),
      call('web_fetch', { url: 'https://me:hunter2@example.org/a?key=hunter2#x' }),
      call('mcp__wiki__find', { text: 'hunter2' }),
      call('task_status', { taskId: 'task_2' }),
      call('memory_search', { query: 'doors' }),
      call('grep', 'no object'),
    ];
    expect(stepsOf(calls)).toEqual([
      'read_file notes.txt',
      'write_file a.txt',
      'edit_file b.txt',
      'run_command npm run test:unit',
      'run_command',
      'run_command mysql',
      'web_fetch https://example.org/a',
      'mcp__wiki__find',
      'task_status',
      'grep',
    ]);
  });

  it('limits the number and length of steps', () => {
    const calls = Array.from({ length: 90 }, (_, n) => call('read_file', { path: `${n}${'p'.repeat(900)}` }));
    expect(stepsOf(calls)).toHaveLength(20);
    expect(stepsOf(calls)[0]?.length).toBeLessThan(300);
  });

  it.each([
    [call('read_file', {}), false],
    [call('task_create', {}), false],
    [call('memory_search', {}), false],
    [call('memory_search', {}, { result: `Learned: x (${untrustedMark})` }), true],
    [call('memory_search', {}, { result: 'x (not trusted: the text of a stranger had a part in it)' }), true],
    [call('run_command', {}), true],
    [call('web_fetch', {}), true],
    [call('mcp__wiki__find', {}), true],
    [call('task_status', {}), true],
  ])('detects results that may contain untrusted text (%#)', (made, expected) => {
    expect(mayContainUntrustedText(made)).toBe(expected);
  });
});

describe('a lesson', () => {
  it('a lesson consists of the request, the steps and the answer', () => {
    const given = task({
      prompt: 'One\nTwo\nThree\nFour\nFive\nSix',
      labels: ['doors'],
      repository: 'org/house',
    });
    expect(lessonOf(given, long, ['read_file a'], undefined)).toEqual({
      type: 'task_solution',
      intent: 'Paint the door\nOne\nTwo\nThree\nFour\nFive',
      solution: ['read_file a', long.trim()],
      successScore: 0.5,
      tags: ['doors', 'org/house', 'builtin'],
    });
  });

  it('counts as a success only what a verification says', () => {
    const result = { success: true, output: '', artifacts: [], duration: 1 };
    const verification = { commands: [], rounds: 1, environment: 'sandbox' as const };
    const scoreAfter = (status: 'passed' | 'failed') =>
      lessonOf(
        task({ result: { ...result, verification: { ...verification, status } } }),
        'Done.',
        ['read_file a'],
        undefined,
      )?.successScore;
    expect([scoreAfter('passed'), scoreAfter('failed')]).toEqual([1, 0.5]);
  });

  it('a lesson is a tool chain when the answer is short', () => {
    expect(lessonOf(task(), 'Done.', ['read_file a'], undefined)).toMatchObject({
      type: 'tool_chain',
      intent: 'Paint the door',
      solution: ['read_file a', 'Done.'],
    });
    expect(lessonOf(task(), ' ', ['read_file a'], undefined)?.solution).toEqual(['read_file a']);
  });

  it('a lesson includes the earlier failure', () => {
    const failure = { code: 'max_steps', message: 'Not done after 5 steps' };
    expect(lessonOf(task(), long, [], failure)).toMatchObject({
      type: 'error_recovery',
      solution: ['At first it failed: max_steps: Not done after 5 steps', long.trim()],
    });
  });

  it('a lesson is undefined when there is too little to keep', () => {
    expect(lessonOf(task(), 'Hello', [], undefined)).toBeUndefined();
    expect(lessonOf(task(), 'Hello', [], { code: 'network', message: 'busy' })).toBeUndefined();
  });

  it('a lesson does not repeat the title in the intent', () => {
    const prompt = 'Paint the door\nin blue';
    expect(lessonOf(task({ prompt }), long, [], undefined)?.intent).toBe(prompt);
    expect(lessonOf(task({ description: 'In blue' }), long, [], undefined)?.intent).toBe(
      'Paint the door\nIn blue',
    );
  });

  it('a lesson fits the limits of an experience for any task', () => {
    const half = `${'🚪'.repeat(300)}x`;
    const huge = task({
      title: half,
      prompt: half.repeat(100),
      labels: Array.from({ length: 40 }, (_, n) => `${n}`.repeat(40)),
      repository: 'r'.repeat(300),
    });
    const lesson = lessonOf(huge, half.repeat(100), ['s'.repeat(200)], {
      code: 'c',
      message: half.repeat(9),
    });
    expect(createExperienceSchema.parse(lesson)).toEqual(lesson);
    expect(JSON.stringify(lesson)).not.toMatch(/\\ud[89a-f]/);
  });
});
