import { describe, expect, it } from 'vitest';
import type { FileDiff } from '../../../../src/contract/approvals.ts';
import { lineText } from '../../../../src/cli/tui/parts/line.ts';
import { parseDiff } from '../../../../src/cli/tui/parts/parse-diff.ts';
import { isWholeDiff, renderDiff } from '../../../../src/cli/tui/parts/render-diff.ts';

const diffOf = (lines: string[], more: Partial<FileDiff> = {}): FileDiff => ({
  path: 'a.ts',
  text: ['--- a/a.ts', '+++ b/a.ts', ...lines, ''].join('\n'),
  added: 1,
  removed: 1,
  ...more,
});
const rows = (diff: FileDiff, width = 40) => renderDiff(diff, width).map(lineText);

describe('a rendered diff', () => {
  it('shows old numbers of removed lines, new ones of all others, and where lines are left out', () => {
    const diff = diffOf([
      '@@ -8,3 +8,3 @@',
      ' eight',
      '-nine',
      '+9',
      ' ten',
      '@@ -99,2 +99,1 @@',
      ' last',
      '-gone',
    ]);
    expect(rows(diff)).toEqual([
      '+1 −1',
      '  8   eight',
      '  9 - nine',
      '  9 + 9',
      ' 10   ten',
      '    ⋮',
      ' 99   last',
      '100 - gone',
    ]);
    expect(renderDiff(diff, 40).map((line) => line[0]?.style?.tone)).toEqual([
      'muted',
      'muted',
      'bad',
      'good',
      'muted',
      'muted',
      'muted',
      'bad',
    ]);
  });

  it('shows everything in lines, and breaks long ones unlike unchanged ones', () => {
    const diff = diffOf(['@@ -1,1 +1,1 @@', `-${'x'.repeat(10)}`, '+\u202ey\r']);
    expect(rows(diff, 12)).toEqual(['+1 −1', '1 - xxxxxxxx', '  · xx', '1 + \\u{202e}', '  · y\\x0d']);
  });

  it('takes no line of a file for a header or for the end of the file', () => {
    const lines = [
      '@@ -1,2 +1,3 @@',
      ' x',
      '-@@ -1,1 +1,1 @@',
      '+@@ -5,1 +5,1 @@',
      '+\\ No newline at end of file',
    ];
    expect(parseDiff(diffOf(lines).text)).toEqual([
      [
        { mark: ' ', text: 'x', old: 1, now: 1 },
        { mark: '-', text: '@@ -1,1 +1,1 @@', old: 2 },
        { mark: '+', text: '@@ -5,1 +5,1 @@', now: 2 },
        { mark: '+', text: '\\ No newline at end of file', now: 3 },
      ],
    ]);
  });

  it('says what there is instead of a diff', () => {
    const nothing = { path: 'a', text: '', added: 0, removed: 0 };
    expect(rows(nothing)).toEqual(['nothing changes']);
    expect(rows({ ...nothing, created: true })).toEqual(['new empty file']);
    expect(rows({ ...nothing, unavailable: 'a is a binary file' })).toEqual(['a is a binary file']);
    const cut = diffOf(['@@ -0,0 +1,9 @@', '+1'], { created: true, truncated: true, removed: 0 });
    expect(rows(cut, 60)).toEqual([
      'new file, +1',
      '1 + 1',
      'The diff continues; the arguments are complete.',
    ]);
    for (const diff of [undefined, nothing, cut]) expect(isWholeDiff(diff)).toBe(false);
    expect(isWholeDiff(diffOf(['@@ -0,0 +1,1 @@', '+1']))).toBe(true);
  });
});
