import { expect, it } from 'vitest';
import { SerialByKey } from '../../../src/core/async/serial-by-key.ts';

it('runs the jobs of one key in order, even after a failure, and jobs of other keys concurrently', async () => {
  const serial = new SerialByKey();
  const log: string[] = [];
  const held = Promise.withResolvers<void>();
  const job =
    (name: string, waits: Promise<void> = Promise.resolve()) =>
    async () => {
      log.push(`${name} begins`);
      await waits;
      log.push(`${name} ends`);
      if (name === 'first') throw new Error('no');
      return name;
    };
  const first = serial.enqueue('a', job('first', held.promise));
  const second = serial.enqueue('a', job('second'));
  expect(await serial.enqueue('b', job('other'))).toBe('other');
  held.resolve();
  await expect(first).rejects.toThrow('no');
  expect(await second).toBe('second');
  expect(await serial.enqueue('a', job('third'))).toBe('third');
  const mine = log.filter((line) => !line.startsWith('other'));
  expect(mine).toEqual(['first', 'second', 'third'].flatMap((name) => [`${name} begins`, `${name} ends`]));
  expect(log.indexOf('other ends')).toBeLessThan(log.indexOf('first ends'));
});
