import { describe, expect, it } from 'vitest';
import { EventBus } from '../../../src/core/events.ts';
import { KeyRing } from '../../../src/core/secrets/key-ring.ts';
import { McpSessions } from '../../../src/daemon/mcp/mcp-sessions.ts';

const newSessions = (seed = 7, bus = new EventBus()) => {
  let made = 0;
  return new McpSessions({
    bus,
    keys: new KeyRing(Buffer.alloc(32, seed)),
    runtime: { newSecret: () => `secret${(made += 1)}` },
  });
};
const ann = { userId: 'user_ann', role: 'user' as const };
const silent = { canAsk: false };
const token = (id: string) => ({ ...ann, token: { id, scopes: [] } });

describe('a session of the protocol', () => {
  it('is known to every daemon of the same keys, and to its caller alone', () => {
    const id = newSessions().create(ann, silent);
    expect(newSessions().isOf(ann, id)).toBe(true);
    expect(newSessions(8).isOf(ann, id)).toBe(false);
    expect(newSessions().isOf({ ...ann, userId: 'user_bob' }, id)).toBe(false);
    expect(newSessions().isOf(token('token_1'), id)).toBe(false);
  });

  it('of one API token is none of another', () => {
    const id = newSessions().create(token('token_1'), silent);
    expect(newSessions().isOf(token('token_1'), id)).toBe(true);
    expect(newSessions().isOf(token('token_2'), id)).toBe(false);
  });

  it('says whether its client can ask the person at it, which the client cannot change', () => {
    const asking = newSessions().create(ann, { canAsk: true });
    const other = newSessions().create(ann, silent);
    expect([asking, other].map((id) => newSessions().canAsk(id))).toEqual([true, false]);
    expect(newSessions().isOf(ann, asking)).toBe(true);
    const [nonce, signature] = other.split('.');
    expect(newSessions().isOf(ann, `${nonce}~ask.${signature}`)).toBe(false);
  });

  it.each(['', '.', 'secret1', 'secret1.', 'x'.repeat(5000)])('is not made up: %j', (id) => {
    expect(newSessions().isOf(ann, id)).toBe(false);
  });

  it('tells which request its client cancels', () => {
    const sessions = newSessions();
    const [one, other] = [sessions.create(ann, silent), sessions.create(ann, silent)];
    const mine = sessions.run(one, 1);
    const theirs = sessions.run(other, 1);
    const text = sessions.run(one, '1');
    sessions.cancel(one, 1);
    expect([mine, theirs, text].map(({ signal }) => signal.aborted)).toEqual([true, false, false]);
    theirs.end();
    sessions.cancel(other, 1);
    expect(theirs.signal.aborted).toBe(false);
  });

  it('hears of what its client cancels on another daemon, until it is closed', () => {
    const here = new EventBus();
    const sessions = newSessions(7, here);
    const id = sessions.create(ann, silent);
    const elsewhere = new EventBus();
    elsewhere.onLocal('mcp_cancelled', (payload) => {
      expect(JSON.stringify(payload)).not.toContain(id);
      here.receive('mcp_cancelled', payload);
    });
    const [first, second, last] = [1, 2, 3].map((request) => sessions.run(id, request));
    newSessions(7, elsewhere).cancel(id, 2);
    sessions.close();
    newSessions(7, elsewhere).cancel(id, 3);
    expect([first, second, last].map((run) => run?.signal.aborted)).toEqual([false, true, false]);
  });
});
