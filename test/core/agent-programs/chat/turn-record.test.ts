import { describe, expect, it } from 'vitest';
import { TurnRecord } from '../../../../src/core/agent-programs/chat/turn-record.ts';
import { answerOf } from '../../../../src/core/chat/runs/run-end.ts';
import type { RunEventInput } from '../../../../src/contract/run-events.ts';

const text = (delta: string): RunEventInput => ({ type: 'text:delta', data: { step: 1, delta } });
const call = (toolCallId: string): RunEventInput => ({
  type: 'tool:call',
  data: { toolCallId, name: 'run_command', arguments: { command: toolCallId } },
});
const result = (toolCallId: string, content: string): RunEventInput => ({
  type: 'tool:result',
  data: { toolCallId, result: { success: true, content } },
});
const model = { provider: 'toy', modelId: 'toy' };

function recordOf(...events: RunEventInput[]): TurnRecord {
  const record = new TurnRecord();
  for (const event of events) record.add(event);
  return record;
}

describe('TurnRecord', () => {
  it('keeps where in the answer the calls were made, and answers with the last text', () => {
    const { state } = recordOf(
      text('First '),
      text('this.'),
      call('a'),
      call('b'),
      result('b', '2'),
      result('a', '1'),
      text('End.'),
    );
    expect(state.steps).toEqual([{ text: 'First this.', calls: 2 }]);
    expect(state.calls.map((each) => each.result)).toEqual(['2', '1']);
    expect(answerOf(state, model, { status: 'interrupted' }).content).toBe('End.');
  });

  it('takes the text of the end of the turn where none was streamed', () => {
    const record = recordOf(call('a'), result('a', '1'));
    record.finish('Done.');
    expect(answerOf(record.state, model, { status: 'completed' })).toMatchObject({
      content: 'Done.',
      finish_reason: 'stop',
      total_tokens: null,
    });
  });

  it('says of a call without a result whether it may have run', () => {
    const record = recordOf(text('Now.'), call('a'), call('b'), {
      type: 'approval:requested',
      data: { toolCallId: 'b', approval: {} as never },
    });
    const { tool_calls: calls, content } = answerOf(record.state, model, { status: 'interrupted' });
    expect(content).toBe('Now.');
    expect(JSON.parse(calls ?? '')).toMatchObject([
      { result: expect.stringContaining('is not known') },
      { result: 'The turn ended before this call ran.' },
    ]);
  });

  it('counts only what the agent reports', () => {
    const columns = (data: Extract<RunEventInput, { type: 'usage' }>['data']) =>
      answerOf(recordOf({ type: 'usage', data }).state, model, { status: 'completed' });
    expect(columns({ input: 3, output: 4, costUsd: 0.5 })).toMatchObject({ total_tokens: 7, cost_usd: 0.5 });
    expect(columns({ input: 3 })).toMatchObject({ total_tokens: null, cost_usd: null });
  });
});
