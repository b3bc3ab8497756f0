import { expect, it } from 'vitest';
import { inRounds } from '../../../src/core/async/in-rounds.ts';

/** Work whose rounds the test ends. */
function openRounds() {
  const rounds: PromiseWithResolvers<void>[] = [];
  const ask = inRounds(() => {
    const round = Promise.withResolvers<void>();
    rounds.push(round);
    return round.promise;
  });
  const ended: string[] = [];
  return { rounds, ended, ask: (name: string) => ask().finally(() => ended.push(name)) };
}

it('gives all who ask during a round the next one', async () => {
  const { rounds, ended, ask } = openRounds();
  const first = ask('first');
  const later = [ask('second'), ask('third')];
  expect(rounds).toHaveLength(1);
  rounds[0]?.resolve();
  await first;
  expect(ended).toEqual(['first']);
  await Promise.resolve();
  expect(rounds).toHaveLength(2);
  const last = ask('last');
  rounds[1]?.resolve();
  await Promise.all(later);
  rounds[2]?.resolve();
  await last;
  expect(ended).toEqual(['first', 'second', 'third', 'last']);
  expect(rounds).toHaveLength(3);
});

it('begins the next round after one that failed, and fails only for those of that one', async () => {
  const { rounds, ask } = openRounds();
  const failed = ask('failed');
  const other = ask('other');
  rounds[0]?.reject(new Error('The disk is full'));
  await expect(failed).rejects.toThrow('The disk is full');
  rounds[1]?.resolve();
  await other;
});

it('begins no second round beside the one of who asked between two rounds', async () => {
  const { rounds, ask } = openRounds();
  const first = ask('first');
  const waiting = ask('waiting');
  // The round has ended, and those who wait have not heard of it.
  const between = rounds[0]?.promise.then(() => ask('between'));
  rounds[0]?.resolve();
  await first;
  await Promise.resolve();
  rounds[1]?.resolve();
  await Promise.all([between, waiting]);
  expect(rounds).toHaveLength(2);
});
