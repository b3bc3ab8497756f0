import { describe, expect, it } from 'vitest';
import { requesterOf, SignInQueue, unknownClient } from '../../../src/core/auth/sign-in-queue.ts';

/** A queue for one at a time, whose work ends when the test says so. */
function openQueue(maxWaiting: number) {
  const clock = { ms: 0 };
  const queue = new SignInQueue(1, maxWaiting, () => clock.ms);
  const started: string[] = [];
  const refused: string[] = [];
  const retries: unknown[] = [];
  let finish: (() => void) | undefined;
  const all: Promise<void>[] = [];
  return {
    queue,
    clock,
    started,
    refused,
    retries,
    add: (name: string, isKnown = false): void => {
      const key = name.split(' ')[0] ?? '';
      const work = () =>
        new Promise<void>((resolve) => {
          started.push(name);
          finish = resolve;
        });
      all.push(
        queue.run({ isKnown, key }, work).catch((error: { retryAfterMs?: number }) => {
          refused.push(name);
          retries.push(error.retryAfterMs);
        }),
      );
    },
    /** Lets everything come to its turn, and answers in which order it did. */
    drain: async (): Promise<string[]> => {
      for (let count = -1; count !== started.length;) {
        count = started.length;
        finish?.();
        // The next one starts in a microtask of the one before.
        await new Promise(setImmediate);
      }
      await Promise.all(all);
      return started;
    },
  };
}

describe('the queue of sign-ins', () => {
  it('serves known clients first, and an unknown one at every fourth turn', async () => {
    const { add, drain } = openQueue(100);
    add('first');
    for (let at = 1; at <= 6; at++) add(`unknown${at}`);
    for (let at = 1; at <= 5; at++) add(`known${at}`, true);
    expect(await drain()).toEqual([
      'first',
      'known1',
      'known2',
      'known3',
      'unknown1',
      'known4',
      'known5',
      'unknown2',
      'unknown3',
      'unknown4',
      'unknown5',
      'unknown6',
    ]);
  });

  it('lets clients take turns, however many one has waiting', async () => {
    const { add, drain } = openQueue(100);
    add('first');
    for (let at = 1; at <= 9; at++) add(`a ${at}`);
    add('b 1');
    add('c 1');
    expect((await drain()).slice(0, 5)).toEqual(['first', 'a 1', 'b 1', 'c 1', 'a 2']);
  });

  it('refuses what is too much, for as long as it would take, of the client that has most', async () => {
    const { add, drain, refused, retries } = openQueue(4);
    add('first');
    for (let at = 1; at <= 6; at++) add(`a ${at}`);
    add('b 1');
    add('b 2');
    add('b 3');
    add('known', true);
    const started = await drain();
    expect(refused).toEqual(['a 5', 'a 6', 'a 4', 'a 3', 'b 3']);
    expect(started).toEqual(['first', 'known', 'a 1', 'b 1', 'a 2', 'b 2']);
    expect(retries).toEqual([200, 200, 150, 150, 200]);
  });

  it('a closed queue refuses what waits and what comes, and lets running work finish', async () => {
    const { add, drain, queue, refused, started } = openQueue(100);
    for (const name of ['first', 'a', 'b']) add(name);
    add('known', true);
    queue.close();
    add('late');
    expect(await drain()).toEqual(['first']);
    expect(refused.toSorted()).toEqual(['a', 'b', 'known', 'late']);
    expect(started).toEqual(['first']);
    await expect(queue.run(unknownClient, async () => 'no')).rejects.toMatchObject({
      code: 'unavailable',
      message: 'svc is stopping. Try again later.',
    });
  });

  it('keeps its places when work fails', async () => {
    const queue = new SignInQueue(1, 1, () => 0);
    const failing = () => Promise.reject(new Error('no'));
    const requester = { isKnown: false, key: '' };
    for (let at = 0; at < 3; at++) await expect(queue.run(requester, failing)).rejects.toThrow('no');
    expect(await queue.run(requester, () => Promise.resolve('yes'))).toBe('yes');
  });
});

it('limits sign-in attempts from a known address per account, and others per network', () => {
  const known = { address: '203.0.113.1', isKnown: true };
  expect(requesterOf(known, 'ann')).not.toEqual(requesterOf(known, 'bob'));
  expect(requesterOf({ address: '2001:db8::1' }, 'ann')).toEqual(
    requesterOf({ address: '2001:db8::2' }, 'bob'),
  );
});
