import { describe, expect, it } from 'vitest';
import { OutputCapture } from '../../../src/core/processes/output-capture.ts';

function capture(limitBytes: number, text: string, pieceBytes = 7): string {
  const output = new OutputCapture({ limitBytes });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieceBytes) output.push(bytes.subarray(at, at + pieceBytes));
  return output.finish();
}

describe('the output that is kept', () => {
  it('is all of a short output, with a character across the middle', () => {
    for (const text of ['', 'short', `${'a'.repeat(49)}€${'b'.repeat(40)}`, '😀'.repeat(25)])
      expect(capture(100, text)).toBe(text);
  });

  it('is the start and the end of a long one, without halves of characters', () => {
    expect(capture(100, `${'a'.repeat(49)}${'€'.repeat(100)}${'b'.repeat(49)}`)).toBe(
      `${'a'.repeat(49)}\n[… 300 bytes left out …]\n${'b'.repeat(49)}`,
    );
    expect(capture(100, 'x'.repeat(1000), 300)).toBe(
      `${'x'.repeat(50)}\n[… 900 bytes left out …]\n${'x'.repeat(50)}`,
    );
  });
});
