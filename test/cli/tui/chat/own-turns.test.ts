import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../../src/contract/run-events.ts';
import { OwnTurns } from '../../../../src/cli/tui/chat/own-turns.ts';

const said = (id: string, runId?: string): RunEvent => ({
  type: 'user_message',
  data: { id, content: 'Hi', compactionApplied: false, messageCount: 1 },
  timestamp: 0,
  ...(runId !== undefined && { runId }),
});
const text = (runId: string): RunEvent => ({
  type: 'text:delta',
  data: { step: 1, delta: 'x' },
  timestamp: 0,
  runId,
});

describe('OwnTurns', () => {
  it('hides its own turn, whichever stream is first', () => {
    const own = new OwnTurns();
    own.begin();
    // The stream of the conversation is ahead.
    expect(own.has(said('msg_1', 'run_1'))).toBe(true);
    own.note(said('msg_1'));
    expect(own.has(text('run_1'))).toBe(true);
    expect(own.end()).toBe(false);
    // It is behind.
    expect(own.has(text('run_1'))).toBe(true);
    own.begin();
    own.note(said('msg_2'));
    expect(own.end()).toBe(false);
    expect(own.has(said('msg_2', 'run_2'))).toBe(true);
    expect(own.has(text('run_2'))).toBe(true);
  });

  it('shows the turns of others', () => {
    const own = new OwnTurns();
    expect(own.has(said('msg_1', 'run_1'))).toBe(false);
    expect(own.has(text('run_1'))).toBe(false);
  });

  it('reports that it hid a turn of another client while its own one was active', () => {
    const own = new OwnTurns();
    own.begin();
    own.note(said('msg_1'));
    expect(own.has(said('msg_2', 'run_2'))).toBe(true);
    expect(own.end()).toBe(true);
    expect(own.has(text('run_2'))).toBe(false);
  });
});
