import { describe, expect, it } from 'vitest';
import type { RunEventInput, RunEvent } from '../../../../src/contract/run-events.ts';
import { reduceRun } from '../../../../src/cli/tui/parts/reduce-run.ts';
import { emptyRun, endRun, isRunning, withNote } from '../../../../src/cli/tui/parts/run-state.ts';
import { approvalOf } from '../scripted-daemon.ts';

/** Events a second apart, from 1000 on. */
const timed = (...events: RunEventInput[]): RunEvent[] =>
  events.map((event, at) => ({ ...event, timestamp: 1000 * (at + 1) }));
const run = (...events: RunEventInput[]) => reduceRun(emptyRun, timed(...events));

const said: RunEventInput = {
  type: 'user_message',
  data: { id: 'm', content: 'Hi', compactionApplied: false, messageCount: 1, taskId: 'task_1' },
};
const started: RunEventInput = {
  type: 'session:start',
  data: {
    sessionId: 's',
    provider: 'openai',
    model: 'gpt',
    maxSteps: 5,
    maxBudget: 9000,
    timeoutMs: null,
  },
};
const text = (delta: string): RunEventInput => ({ type: 'text:delta', data: { step: 1, delta } });
const call = (toolCallId: string): RunEventInput => ({
  type: 'tool:call',
  data: { toolCallId, name: 'read_file', arguments: { path: 'a' } },
});
const result = (toolCallId: string, success = true): RunEventInput => ({
  type: 'tool:result',
  data: { toolCallId, result: { success, content: 'text' } },
});
const thinking = (end: 'start' | 'update' | 'end', words: string): RunEventInput => ({
  type: `thinking:${end}`,
  data: { step: 1, text: words },
});
const complete: RunEventInput = {
  type: 'complete',
  data: {
    totalTokens: 700,
    inputTokens: 500,
    outputTokens: 200,
    model: 'gpt-2',
    provider: 'openai',
    toolCalls: 1,
  },
};

describe('reduceRun', () => {
  it('shows the running step, the limits and the progress of a run', () => {
    const step: RunEventInput = {
      type: 'step:start',
      data: { step: 2, maxSteps: 5, usedTokens: 300, maxBudget: 9000 },
    };
    expect(run(said, started, step)).toMatchObject({
      phase: 'waiting',
      taskId: 'task_1',
      model: 'gpt',
      step: 2,
      maxSteps: 5,
      maxBudget: 9000,
      usedTokens: 300,
      startedAt: 1000,
    });
  });

  it('shows a sent message once, even when the daemon repeats it', () => {
    expect(run(said, said).entries).toEqual([{ kind: 'person', key: '0', text: 'Hi', messageId: 'm' }]);
  });

  it('joins streamed text until another event comes', () => {
    const { entries, phase } = run(said, text('On'), text('ce'), call('c'), result('c'), text('Again'));
    expect(phase).toBe('writing');
    expect(entries).toMatchObject([
      { kind: 'person' },
      { kind: 'text', text: 'Once', isComplete: true },
      { kind: 'tool', state: 'ok', result: 'text', startedAt: 4000, endedAt: 5000 },
      { kind: 'text', text: 'Again', isComplete: false },
    ]);
    expect(new Set(entries.map(({ key }) => key)).size).toBe(4);
  });

  it.each([
    [['I ', 'see'], ''],
    [['I ', 'I see'], 'I see'],
  ])('reads thinking that comes in parts or whole: %j', (updates, last) => {
    const events = [thinking('start', ''), ...updates.map((each) => thinking('update', each))];
    expect(run(...events).phase).toBe('thinking');
    expect(run(...events, thinking('end', last)).entries).toMatchObject([
      { kind: 'thinking', text: 'I see', startedAt: 1000, endedAt: 4000 },
    ]);
  });

  it('keeps several simultaneous calls apart', () => {
    const state = run(call('a'), call('b'), result('b', false));
    expect(state.phase).toBe('tool');
    expect(state.entries).toMatchObject([{ state: 'running' }, { state: 'failed' }]);
  });

  it('queues pending approvals, and measures a call without the time of its approval', () => {
    const [first, second] = [approvalOf('one'), approvalOf('two')];
    const asked = run(
      call('a'),
      call('b'),
      { type: 'approval:requested', data: { toolCallId: 'a', approval: first } },
      { type: 'approval:requested', data: { toolCallId: 'b', approval: second } },
    );
    expect(asked).toMatchObject({ phase: 'deciding', approvals: [{ id: 'one' }, { id: 'two' }] });
    expect(asked.entries).toMatchObject([{ state: 'asking' }, { state: 'asking' }]);
    const decided = reduceRun(asked, [
      { type: 'approval:decided', data: { toolCallId: 'a', approval: first }, timestamp: 9000 },
    ]);
    expect(decided).toMatchObject({ phase: 'deciding', approvals: [{ id: 'two' }] });
    expect(decided.entries).toMatchObject([{ state: 'running', startedAt: 9000 }, { state: 'asking' }]);
  });

  it('finishes every open entry when the run finishes', () => {
    const state = run(said, thinking('start', 'x'), call('a'), text('half'), complete);
    expect(state).toMatchObject({ phase: 'done', usedTokens: 700, model: 'gpt-2', endedAt: 5000 });
    expect(state.entries).toMatchObject([
      {},
      { kind: 'thinking', endedAt: 5000 },
      { kind: 'tool', state: 'stopped' },
      { kind: 'text', isComplete: true },
    ]);
    expect(isRunning(state)).toBe(false);
  });

  it('keeps the error of a run, and drops its pending approvals', () => {
    const state = run(
      said,
      { type: 'approval:requested', data: { toolCallId: 'a', approval: approvalOf('one') } },
      { type: 'error', data: { message: 'Too late', code: 'TIMEOUT' } },
    );
    expect(state).toMatchObject({ phase: 'failed', approvals: [], error: { code: 'TIMEOUT' } });
  });

  it('shows a summary only when it differs from the last text', () => {
    const summary: RunEventInput = { type: 'summary', data: { summary: 'The answer' } };
    expect(run(text('The answer\n'), summary).entries).toHaveLength(1);
    expect(run(text('Working'), summary).entries).toMatchObject([
      { text: 'Working' },
      { text: 'The answer' },
    ]);
  });

  it('says how to continue a turn that a limit ended', () => {
    const limited = {
      ...complete,
      data: { ...complete.data, finishReason: 'max_round_trips' },
    } as RunEventInput;
    expect(run(said, limited).entries.at(-1)).toMatchObject({
      kind: 'note',
      text: 'Stopped at the limit of tool round trips. Send "continue" to let it go on.',
    });
  });

  it('shows a turn once that is sent again from its beginning', () => {
    const earlier = { ...said, data: { ...said.data, id: 'before' } };
    const { entries } = run(earlier, text('Zero'), said, text('On'), said, text('One'));
    expect(entries.map((entry) => 'text' in entry && entry.text)).toEqual(['Hi', 'Zero', 'Hi', 'One']);
  });

  it('reports that earlier messages were summarized', () => {
    const { entries } = run({ type: 'compaction', data: { tokensBefore: 9000, tokensAfter: 800 } });
    expect(entries).toMatchObject([{ kind: 'note', text: 'Compacted: 9k → 800 tokens.' as string }]);
  });

  it('shows what an agent or its sandbox reports', () => {
    const { entries } = run({ type: 'note', data: { message: 'Close to the limit.' } });
    expect(entries).toMatchObject([{ kind: 'note', text: 'Close to the limit.' }]);
  });

  it('starts the next run with the text before it and without its state', () => {
    const next: RunEventInput = { ...said, data: { ...said.data, id: 'n' } };
    const again = reduceRun(run(said, started, text('one'), complete), timed(next, text('two')));
    expect(again.entries.map(({ kind }) => kind)).toEqual(['person', 'text', 'person', 'text']);
    expect(again).toMatchObject({ phase: 'writing', startedAt: 1000 });
    expect(again.usedTokens).toBeUndefined();
    expect(again.endedAt).toBeUndefined();
  });
});

describe('the state of a run on the screen', () => {
  it('a run on the screen stops when the connection closes', () => {
    expect(endRun(run(said, call('a')), 7000)).toMatchObject({
      phase: 'failed',
      endedAt: 7000,
      entries: [{}, { state: 'stopped' }],
    });
    const done = run(said, complete);
    expect(endRun(done, 7000)).toBe(done);
  });

  it('shows notes, and starts a new paragraph after each', () => {
    const state = reduceRun(withNote(run(text('a')), 'note'), timed(text('b')));
    expect(state.entries).toMatchObject([{ text: 'a', isComplete: true }, { text: 'note' }, { text: 'b' }]);
  });
});
