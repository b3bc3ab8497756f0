import { expect, it } from 'vitest';
import { TraceBuilder, type TracedEvent } from '../../../../src/core/tasks/trace/trace-builder.ts';

const start = Date.parse('2026-01-01T00:00:00.000Z');
const time = (ms: number) => new Date(start + ms).toISOString();
/** An event so many milliseconds after the task was created. */
const event = (ms: number, type: TracedEvent['type'], data: TracedEvent['data'] = {}, message = '') => ({
  type,
  at: time(ms),
  message,
  data,
});
const progress = (ms: number, type: string, data: TracedEvent['data'] = {}, message = '') =>
  event(ms, 'progress', { type, ...data }, message);

/** Each span as `parent > name start-end status`. */
function lines(events: TracedEvent[], { now = 1000, isFinished = true } = {}): string[] {
  const builder = new TraceBuilder('task_1', time(0));
  for (const each of events) builder.add(each);
  const spans = builder.finish(time(now), isFinished);
  const nameOf = new Map(spans.map(({ id, name }) => [id, name]));
  return spans.map(({ parent, name, startedAt, durationMs, status }) => {
    const from = Date.parse(startedAt) - start;
    return `${parent === undefined ? '' : `${nameOf.get(parent)} > `}${name} ${from}-${from + durationMs} ${status}`;
  });
}

const run = [
  event(0, 'created'),
  event(0, 'queued'),
  event(10, 'started', { attempt: 1, agent: 'builtin' }),
  progress(11, 'session:start', { provider: 'openai', model: 'gpt' }),
  progress(12, 'step:start', { step: 1, usedTokens: 0 }),
];

it('a trace has the waits, the attempt, its steps, and the model and tool calls within them', () => {
  expect(
    lines([
      ...run,
      progress(50, 'tool:call', { toolCallId: 'a', name: 'read_file' }, 'read_file a.txt'),
      progress(50, 'tool:call', { toolCallId: 'b', name: 'write_file' }, 'write_file b.txt'),
      progress(60, 'tool:result', { toolCallId: 'a', result: { success: true } }),
      event(61, 'approval_requested', { toolCallId: 'b', toolName: 'write_file' }),
      event(91, 'approval_decided', { toolCallId: 'b', toolName: 'write_file', status: 'approved' }),
      progress(95, 'tool:result', { toolCallId: 'b', result: { success: false } }),
      progress(96, 'step:complete', { step: 1, usedTokens: 40 }),
      progress(97, 'step:start', { step: 2, usedTokens: 40 }),
      progress(120, 'step:complete', { step: 2, usedTokens: 70 }),
      event(121, 'verification_started', { round: 1 }),
      event(151, 'verification_finished', { status: 'passed' }),
      event(160, 'completed'),
    ]),
  ).toEqual([
    'task 0-160 ok',
    'task > queue 0-10 ok',
    'task > invoke_agent builtin 10-160 ok',
    'invoke_agent builtin > step 1 12-96 ok',
    'step 1 > chat gpt 12-50 ok',
    'step 1 > execute_tool read_file 50-60 ok',
    // It began when the call before it was done.
    'step 1 > execute_tool write_file 60-95 error',
    'execute_tool write_file > approval 61-91 ok',
    'invoke_agent builtin > step 2 97-120 ok',
    'step 2 > chat gpt 97-120 ok',
    'invoke_agent builtin > verification 1 121-151 ok',
  ]);
});

it('a failed attempt is followed by the delay before the next one', () => {
  expect(
    lines([
      ...run,
      event(40, 'retry_scheduled', { class: 'timeout' }),
      event(90, 'started', { attempt: 2, agent: 'builtin' }),
      event(99, 'failed', { class: 'auth' }),
    ]),
  ).toEqual([
    'task 0-99 error',
    'task > queue 0-10 ok',
    'task > invoke_agent builtin 10-40 error',
    'invoke_agent builtin > step 1 12-40 error',
    'step 1 > chat gpt 12-40 error',
    'task > retry delay 40-90 ok',
    'task > invoke_agent builtin 90-99 error',
  ]);
});

it('an attempt after a restart continues the call that waited for its approval', () => {
  expect(
    lines([
      ...run,
      progress(20, 'tool:call', { toolCallId: 'a', name: 'write_file' }),
      event(21, 'approval_requested', { toolCallId: 'a' }),
      event(50, 'requeued'),
      event(60, 'started', { attempt: 1, agent: 'builtin' }),
      event(80, 'approval_decided', { toolCallId: 'a', status: 'denied' }),
      progress(81, 'tool:result', { toolCallId: 'a', result: { success: false, refused: true } }),
      event(90, 'completed'),
    ]).slice(5),
  ).toEqual([
    'step 1 > execute_tool write_file 20-50 interrupted',
    'execute_tool write_file > approval 21-50 interrupted',
    'task > queue 50-60 ok',
    'task > invoke_agent builtin 60-90 ok',
    'invoke_agent builtin > execute_tool write_file 60-81 error',
    'execute_tool write_file > approval 60-80 error',
  ]);
});

it('what is not over yet lasts until now', () => {
  expect(lines(run, { now: 500, isFinished: false })).toEqual([
    'task 0-500 running',
    'task > queue 0-10 ok',
    'task > invoke_agent builtin 10-500 running',
    'invoke_agent builtin > step 1 12-500 running',
    'step 1 > chat gpt 12-500 running',
  ]);
});

it('events that name no call, and a clock that was set back, leave durations of 0 or more', () => {
  expect(
    lines([
      event(100, 'started', {}),
      progress(50, 'tool:result', {}),
      progress(40, 'tool:call', {}),
      event(30, 'approval_decided', {}),
      progress(20, 'unknown', {}),
      event(10, 'cancelled'),
    ]),
  ).toEqual([
    'task 0-10 cancelled',
    'task > invoke_agent agent 100-100 cancelled',
    'invoke_agent agent > execute_tool tool 40-40 cancelled',
    'execute_tool tool > approval 100-100 error',
  ]);
});
