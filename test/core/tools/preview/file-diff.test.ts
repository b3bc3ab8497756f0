import { applyPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sized } from '../../../helpers/long.ts';
import { diffFile } from '../../../../src/core/tools/preview/file-diff.ts';

const numbered = (count: number, change: (line: number) => string = String) =>
  Array.from({ length: count }, (_, at) => `${change(at + 1)}\n`).join('');

describe('the diff of a file', () => {
  it('has true line numbers, three lines of context and the count of lines', () => {
    const after = numbered(40, (line) => (line === 20 ? 'twenty' : String(line)));
    expect(diffFile({ path: 'src/a.ts', before: numbered(40), after })).toEqual({
      path: 'src/a.ts',
      added: 1,
      removed: 1,
      text: [
        '--- a/src/a.ts',
        '+++ b/src/a.ts',
        '@@ -17,7 +17,7 @@',
        ' 17',
        ' 18',
        ' 19',
        '-20',
        '+twenty',
        ' 21',
        ' 22',
        ' 23',
        '',
      ].join('\n'),
    });
  });

  it('compares a new file with nothing, and says that it is new', () => {
    expect(diffFile({ path: 'a', before: undefined, after: 'x\n' })).toEqual({
      path: 'a',
      created: true,
      added: 1,
      removed: 0,
      text: '--- /dev/null\n+++ b/a\n@@ -0,0 +1,1 @@\n+x\n',
    });
    expect(diffFile({ path: 'a', before: undefined, after: '' })).toMatchObject({ created: true, text: '' });
  });

  it('shows a missing line feed at the end and changed line ends', () => {
    const { text } = diffFile({ path: 'a', before: 'x\r\ny', after: 'x\ny\n' });
    expect(text).toContain('-x\r\n-y\n\\ No newline at end of file\n+x\n+y\n');
  });

  it.each([
    ['with few changes', 1],
    ['with more changes than are compared line by line', 3000],
  ])('turns the old text into the new one, %s', (_, repeat) => {
    const texts = fc.array(fc.constantFrom('a', 'b', 'c', '+', '-', ' ', '@@ -1 +1 @@', '\\', '\r', ''));
    fc.assert(
      fc.property(texts, texts, fc.boolean(), (one, two, ends) => {
        const text = (lines: string[], mark: string) =>
          [...lines, ...Array.from({ length: repeat }, (__, at) => `${mark}${at}`)].join('\n') +
          (ends ? '\n' : '');
        const [before, after] = [
          text(one, repeat === 1 ? 'same' : 'x'),
          text(two, repeat === 1 ? 'same' : 'y'),
        ];
        expect(applyPatch(before, diffFile({ path: 'a', before, after }).text)).toBe(after);
      }),
      { numRuns: repeat === 1 ? 300 : sized(2, 10) },
    );
  });

  it('masks secrets in every line, also in those around a change, and moves no line', () => {
    const key = '-----BEGIN PRIVATE KEY-----\nMIIEow\nIBAAKC\n-----END PRIVATE KEY-----';
    const before = `${key}\npassword = hunter22secret\nold\n`;
    const { text } = diffFile({ path: 'a', before, after: before.replace('old', 'token=abc123def456') });
    for (const secret of ['IBAAKC', 'hunter22', 'abc123']) expect(text).not.toContain(secret);
    expect(text).toContain('@@ -3,4 +3,4 @@\n ••••(6 characters)\n -----END PRIVATE KEY-----');
    expect(text).toContain(' password = ••••(14 characters)\n-old\n+token=••••(12 characters)');
  });

  it('shows that a secret changes into another of the same length', () => {
    const { text } = diffFile({ path: 'a', before: 'token=abc123def456\n', after: 'token=fed654cba321\n' });
    expect(text).toContain('-token=••••(12 characters)\n+token=••••(12 characters)\n');
  });

  it('cuts a long diff at a line, and counts all of it', () => {
    const { text, truncated, added } = diffFile({ path: 'a', before: undefined, after: numbered(100_000) });
    expect({ truncated, added }).toEqual({ truncated: true, added: 100_000 });
    expect(text.length).toBeLessThanOrEqual(131_072);
    expect(text.endsWith('\n')).toBe(true);
  });

  it('compares no file of more than a million characters', () => {
    expect(diffFile({ path: 'a', before: 'x'.repeat(1_000_001), after: 'x' })).toMatchObject({
      text: '',
      unavailable: 'a is too large to be compared: 1000001 characters, at most 1000000',
    });
  });
});
