import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { LogPrinter } from '../../../../src/cli/commands/tasks/log-printer.ts';
import { Output } from '../../../../src/cli/output/output.ts';
import type { TaskEvent, TaskEventType } from '../../../../src/contract/task.ts';

const start = Date.UTC(2026, 10, 23, 15, 4, 5);
let seq = 0;
const event = (type: TaskEventType, message: string, data: TaskEvent['data'] = {}, ms = 0): TaskEvent => ({
  seq: ++seq,
  id: `evt_${seq}`,
  type,
  at: new Date(start + ms).toISOString(),
  message,
  data,
});
const progress = (type: string, data: TaskEvent['data'], ms = 0) =>
  event('progress', type, { ...data, type }, ms);
const says = (delta: string) =>
  event('output', delta, { stream: 'text', type: 'text:delta', step: 1, delta });
const step = (n: number) => progress('step:start', { step: n, maxSteps: 9, usedTokens: 0, maxBudget: null });
const stepDone = (n: number) =>
  progress('step:complete', { step: n, usedTokens: 1, toolCalls: 0, finishReason: 'stop' });
const call = (id: string, path: string, ms = 0) =>
  progress('tool:call', { toolCallId: id, name: 'read_file', arguments: { path } }, ms);
const result = (id: string, success: boolean, content: string, ms = 0) =>
  progress('tool:result', { toolCallId: id, result: { success, content } }, ms);
const prints = (stream: string, text: string) => event('output', text, { stream });

/** What is on stdout, on stderr, and on a terminal that shows both. */
function printed(events: TaskEvent[], { follow = false, isTerminal = false, today = start } = {}) {
  const written = { stdout: '', stderr: '', both: '' };
  const stream = (name: 'stdout' | 'stderr') => {
    const to = new PassThrough();
    to.on('data', (chunk: Buffer) => {
      written[name] += chunk.toString('utf8');
      written.both += chunk.toString('utf8');
    });
    return Object.assign(to, { isTTY: isTerminal, columns: 80 }) as unknown as NodeJS.WriteStream;
  };
  const output = new Output({ stdout: stream('stdout'), stderr: stream('stderr') }, { NO_COLOR: '1' });
  const printer = new LogPrinter(output, { utc: true, follow, now: () => new Date(today) });
  for (const each of events) printer.event(each);
  printer.end();
  return written;
}

const run = [
  event('created', 'Created'),
  event('started', '', { attempt: 1, maxAttempts: 3, agent: 'builtin' }),
  step(1),
  says('Let me '),
  says('look.'),
  call('a', 'a.txt', 1000),
  result('a', true, 'one\ntwo', 3000),
  stepDone(1),
  step(2),
  says('Done: **two** lines\n'),
  stepDone(2),
  progress('summary', { summary: 'Done: **two** lines' }),
  event('completed', 'Completed', { duration: 4000 }, 4000),
];

describe('the log of a task', () => {
  it('has each event on its own line with its time, and calls with their subject, result and duration', () => {
    expect(printed(run).stderr).toBe(
      [
        '15:04:05Z  created',
        '15:04:05Z  started by builtin',
        '15:04:08Z  ✓ read_file  a.txt  2 lines · 2.0 s',
        '15:04:05Z  Step 2',
        '15:04:09Z  completed in 4.0 s',
        '',
      ].join('\n'),
    );
  });

  it('separates the answers of the model, and prints none of them twice', () => {
    expect(printed(run).stdout).toBe('Let me look.\n\nDone: **two** lines\n');
    expect(printed(run, { isTerminal: true }).both).toContain(
      'Let me look.\n15:04:08Z  ✓ read_file  a.txt  2 lines · 2.0 s\n15:04:05Z  Step 2\nDone: **two** lines\n15:04:09Z',
    );
  });

  it('has the answer of a model that sent it at its end only', () => {
    expect(printed([step(1), progress('summary', { summary: 'Four' })]).stdout).toBe('Four\n');
  });

  it('says why a call failed, and lists calls without a result', () => {
    const calls = [call('a', 'a'), call('b', 'b'), result('a', false, 'There is no a\nmore', 50)];
    expect(printed(calls).stderr).toBe(
      '15:04:05Z  ✗ read_file  a  50 ms\n             There is no a\n           ● read_file  b\n',
    );
  });

  it('shows a call that is followed when it starts', () => {
    expect(printed([call('a', 'a.txt'), result('a', true, '')], { follow: true }).stderr).toBe(
      '15:04:05Z  ● read_file  a.txt\n15:04:05Z  ✓ read_file  a.txt  0 ms\n',
    );
  });

  it('has the output of a command as it is, on lines of its own on a screen', () => {
    const events = [
      prints('stdout', 'a\n'),
      prints('stdout', 'b'),
      prints('stdout', 'c'),
      prints('stderr', 'ba'),
      prints('stderr', 'd'),
      event('failed', 'It broke'),
    ];
    expect(printed(events)).toMatchObject({ stdout: 'a\nbc', stderr: 'bad\n15:04:05Z  failed: It broke\n' });
    expect(printed(events, { isTerminal: true }).both).toBe('a\nbc\nbad\n15:04:05Z  failed: It broke\n');
  });

  it('names the day where it is not the one before', () => {
    const events = [event('created', 'Created'), event('cancelled', 'Cancelled', {}, 86_400_000)];
    expect(printed(events).stderr).toBe('15:04:05Z  created\n2026-11-24\n15:04:05Z  cancelled\n');
    expect(printed(events, { today: start + 172_800_000 }).stderr).toMatch(/^2026-11-23\n/);
  });
});
