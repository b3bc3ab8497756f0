import { expect, it } from 'vitest';
import { SerialByKey } from '../../../src/core/async/serial-by-key.ts';

it('runs the works of one key in their order, also after one that failed, and others beside them', async () => {
  const serial = new SerialByKey();
  const log: string[] = [];
  const held = Promise.withResolvers<void>();
  const work =
    (name: string, waits: Promise<void> = Promise.resolve()) =>
    async () => {
      log.push(`${name} begins`);
      await waits;
      log.push(`${name} ends`);
      if (name === 'first') throw new Error('no');
      return name;
    };
  const first = serial.take('a', work('first', held.promise));
  const second = serial.take('a', work('second'));
  expect(await serial.take('b', work('other'))).toBe('other');
  held.resolve();
  await expect(first).rejects.toThrow('no');
  expect(await second).toBe('second');
  expect(await serial.take('a', work('third'))).toBe('third');
  const mine = log.filter((line) => !line.startsWith('other'));
  expect(mine).toEqual(['first', 'second', 'third'].flatMap((name) => [`${name} begins`, `${name} ends`]));
  expect(log.indexOf('other ends')).toBeLessThan(log.indexOf('first ends'));
});
