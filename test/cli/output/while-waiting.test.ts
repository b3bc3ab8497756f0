import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { Output } from '../../../src/cli/output/output.ts';
import { describeWait, whileWaiting } from '../../../src/cli/output/while-waiting.ts';

it('describes a wait by its time, and by share and estimate where the total is known', () => {
  expect(describeWait({ text: 'checking' }, 300)).toBe('checking');
  expect(describeWait({ text: 'checking' }, 12_700)).toBe('checking: 12 s');
  expect(describeWait({ text: 'unpacking', done: 10, total: 40 }, 1000)).toBe('unpacking: 25 %');
  expect(describeWait({ text: 'unpacking', done: 10, total: 40 }, 5000)).toBe(
    'unpacking: 25 %, 5.0 s, about 15 s left',
  );
  expect(describeWait({ text: 'unpacking', done: 0, total: 40 }, 5000)).toBe('unpacking: 5.0 s');
  expect(describeWait({ text: 'unpacking', done: 50, total: 40 }, 5000)).toContain('100 %');
});

it('passes on the result and the error of the work, and prints nothing about a short one', async () => {
  const written: string[] = [];
  const stream = new PassThrough().on('data', (chunk: Buffer) => written.push(chunk.toString()));
  const stdio = stream as unknown as NodeJS.WriteStream;
  const output = new Output({ stdout: stdio, stderr: stdio }, {});
  const wait = { isShown: true, text: 'checking' };
  expect(await whileWaiting(output, wait, async () => 'done')).toBe('done');
  const failing = whileWaiting(output, wait, () => Promise.reject(new Error('broken')));
  await expect(failing).rejects.toThrow('broken');
  expect(written).toEqual([]);
});
