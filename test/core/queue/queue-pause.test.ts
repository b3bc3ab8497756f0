import { expect, it } from 'vitest';
import { QueuePause } from '../../../src/core/queue/queue-pause.ts';
import { settle } from '../../helpers/settle.ts';
import { openStorage } from '../../helpers/storage.ts';

it('a look at what another daemon did does not undo what was set after it began', async () => {
  await using storage = await openStorage();
  const { database, bus } = storage;
  const opened = Promise.withResolvers<void>();
  let isHeld = false;
  const read = database.read.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      if (isHeld) await opened.promise;
      return result;
    },
  });
  const pause = await QueuePause.load({ ...database, read }, bus);
  const resumed: string[] = [];
  pause.followOthers(
    () => resumed.push('resumed'),
    (error) => {
      throw error;
    },
  );
  isHeld = true;
  bus.receive('pause_changed', undefined);
  await settle();
  await pause.set(true);
  opened.resolve();
  await settle();
  expect(pause.isPaused).toBe(true);
  expect(resumed).toEqual([]);
});
