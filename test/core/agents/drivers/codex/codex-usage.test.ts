import { describe, expect, it } from 'vitest';
import { TURN, startCodexTurn } from '../../../../helpers/agents/codex-peer.ts';

const allow = () => Promise.resolve({ decision: 'allow' as const });
const counts = (input: number) => ({ inputTokens: input, outputTokens: input / 10, cachedInputTokens: 0 });
const update = (total: number, last: number, turnId = TURN, threadId = 'thread-1') => ({
  threadId,
  turnId,
  tokenUsage: { total: counts(total), last: counts(last) },
});
const METHOD = 'thread/tokenUsage/updated';

describe('the usage of Codex', () => {
  it('leaves out what a resumed thread used in earlier processes', async () => {
    const peer = await startCodexTurn(allow, { resume: 'thread-1' });
    peer.notify(METHOD, update(1000, 300, 'turn-of-before'));
    expect(peer.usages).toEqual([]);
    peer.notify(METHOD, update(1100, 100));
    peer.notify(METHOD, update(1150, 50));
    expect(peer.usages).toEqual([counts(100), counts(150)]);
    expect(peer.steps()).toBe(2);
  });

  it('leaves it out too where Codex does not repeat it first', async () => {
    const peer = await startCodexTurn(allow, { resume: 'thread-1' });
    peer.notify(METHOD, update(1100, 100));
    expect(peer.usages).toEqual([counts(100)]);
  });

  it('counts no model call where nothing new was used', async () => {
    const peer = await startCodexTurn(allow);
    peer.notify(METHOD, update(100, 100));
    peer.notify(METHOD, update(100, 100));
    expect([peer.usages.length, peer.steps()]).toEqual([1, 1]);
  });

  it('adds what agents used that Codex started itself', async () => {
    const peer = await startCodexTurn(allow);
    peer.notify(METHOD, update(100, 100));
    peer.notify(METHOD, update(500, 40, 'turn-of-the-other', 'thread-2'));
    expect(peer.usages.at(-1)).toEqual(counts(140));
  });
});
