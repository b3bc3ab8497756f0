import { describe, expect, it } from 'vitest';
import { addRefusal, dropRefusal, refusedCallsOf } from '../../../../src/core/chat/runs/refused-calls.ts';
import { newRunState } from '../../../../src/core/chat/runs/run-state.ts';

const call = (path: string, id = 'call_1') => ({ id, name: 'write_file', args: { path, content: 'x' } });

describe('refusedCallsOf', () => {
  it('lists each refused call once, with its last reason', () => {
    const state = newRunState([]);
    expect(refusedCallsOf(state)).toBeUndefined();
    addRefusal(state, call('a'), 'The approval request expired without a decision');
    addRefusal(state, call('a', 'call_2'), 'A person denied this call');
    addRefusal(state, call('b'), 'A person denied this call');
    expect(refusedCallsOf(state)).toEqual({
      count: 3,
      calls: [
        { tool: 'write_file', call: 'write_file a', reason: 'A person denied this call', count: 2 },
        { tool: 'write_file', call: 'write_file b', reason: 'A person denied this call', count: 1 },
      ],
    });
  });

  it('leaves out a call that ran in the end', () => {
    const state = newRunState([]);
    addRefusal(state, call('a'), 'The approval request expired without a decision');
    dropRefusal(state, call('b'));
    expect(refusedCallsOf(state)?.count).toBe(1);
    dropRefusal(state, call('a', 'call_2'));
    expect(refusedCallsOf(state)).toBeUndefined();
  });

  it('counts calls beyond those that it lists', () => {
    const state = newRunState([]);
    for (let index = 0; index < 60; index++) addRefusal(state, call(`f${index}`), 'no');
    expect(refusedCallsOf(state)).toMatchObject({ count: 60, calls: { length: 50 } });
  });

  it('shows nothing of a command that may hold a secret', () => {
    const state = newRunState([]);
    const args = { command: 'curl -H "Authorization: Bearer s3cr3t" https://example.com/?key=s3cr3t' };
    addRefusal(state, { id: 'call_1', name: 'run_command', args }, 'no');
    expect(JSON.stringify(refusedCallsOf(state))).not.toContain('s3cr3t');
  });
});
