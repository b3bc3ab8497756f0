import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { OutputTail, TAIL_BYTES } from '../../../../src/core/tasks/verification/output-tail.ts';

const tailOf = (...chunks: (string | Buffer)[]) => {
  const tail = new OutputTail();
  for (const chunk of chunks) tail.push(Buffer.from(chunk));
  return tail.finish();
};

it('a short output is kept whole, with its hash', () => {
  expect(tailOf('one ', 'two')).toEqual({
    outputTail: 'one two',
    outputHash: createHash('sha256').update('one two').digest('hex'),
  });
  expect(tailOf().outputTail).toBe('');
});

it('the end of a long output never begins with half a character', () => {
  for (const extra of ['', 'x', 'xy', 'xyz']) {
    const { outputTail } = tailOf('€'.repeat(TAIL_BYTES), extra);
    expect(outputTail).toMatch(/^€+x?y?z?$/);
    expect(Buffer.byteLength(outputTail)).toBeGreaterThan(TAIL_BYTES - 4);
  }
});
