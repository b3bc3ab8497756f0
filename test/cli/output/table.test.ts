import { describe, expect, it } from 'vitest';
import { formatTable } from '../../../src/cli/output/table.ts';
import { fitMiddle, fitText, textWidth } from '../../../src/cli/output/text-width.ts';

const columns = [
  { title: 'ID', value: ({ id }: { id: string }) => id },
  { title: 'N', value: ({ n }: { n: number }) => String(n), align: 'right' as const },
  { title: 'TITLE', value: ({ title }: { title: string }) => title, isElastic: true },
];
type Row = { id: string; n: number; title: string };
const rows: Row[] = [
  { id: 'task_1', n: 5, title: 'Short' },
  { id: 'task_22', n: 100, title: 'A title that is too long for its place' },
];
const format = (width: number, shown = rows) => formatTable<Row>(columns, shown, { width });

describe('formatTable', () => {
  it('aligns the columns of a table', () => {
    expect(format(Number.POSITIVE_INFINITY)).toBe(
      [
        'ID         N  TITLE',
        'task_1     5  Short',
        'task_22  100  A title that is too long for its place',
        '',
      ].join('\n'),
    );
  });

  it('truncates only elastic columns', () => {
    const lines = format(30).split('\n');
    expect(lines[2]).toBe('task_22  100  A title that is…');
    expect(format(5).split('\n')[2]).toBe('task_22  100  A title…');
  });

  it('keeps each table row on one line and escapes control characters', () => {
    expect(format(80, [{ id: 'a', n: 1, title: 'x\ny\u001b[31m\u202e' }])).toContain(
      String.raw`x\ny\x1b[31m\u{202e}`,
    );
  });

  it('drops columns that need a wider terminal', () => {
    const wide = [...columns, { title: 'EXTRA', value: () => 'extra', fromWidth: 100 }];
    expect(formatTable<Row>(wide, rows, { width: 99 })).not.toContain('EXTRA');
    expect(formatTable<Row>(wide, rows, { width: 100 })).toContain('EXTRA');
  });
});

describe('fitMiddle', () => {
  it.each([
    ['~/shop', 10, '~/shop'],
    ['~/projects/shop/packages/web', 15, '~/proje…ges/web'],
    ['~/日本語/日本語', 8, '~/…本語'],
    ['abc', 1, '…'],
    ['abc', 0, ''],
  ])('cuts %s to %i columns as %s', (text, columns, cut) => expect(fitMiddle(text, columns)).toBe(cut));

  it('is how a column of paths is cut', () => {
    const paths = [
      { title: 'PATH', value: () => '/home/a/very/long/path', isElastic: true, cut: 'middle' as const },
    ];
    expect(formatTable(paths, [1], { width: 11 })).toBe('PATH\n/home…/path\n');
  });
});

describe('textWidth', () => {
  it.each([
    ['abc', 3],
    ['日本', 4],
    ['é', 1],
    ['👩‍💻!', 3],
    ['हिन्दी', 4],
    ['☰', 2],
    ['ｶﾞ', 2],
  ])('the text %s is %i columns wide', (text, width) => expect(textWidth(text)).toBe(width));

  it('never splits a wide character', () => expect(fitText('日本語', 4)).toBe('日…'));
});
