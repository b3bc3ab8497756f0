import { describe, expect, it } from 'vitest';
import { diffRows, editOf, renderDiff } from '../../../../src/cli/tui/parts/edit-diff.ts';
import { lineText } from '../../../../src/cli/tui/parts/line.ts';

const shown = (oldText: string, newText: string, width = 40) =>
  renderDiff(oldText, newText, width).map(lineText);

describe('the change of an edit', () => {
  it('shows what is removed and added between the lines that stay', () => {
    expect(shown('a\nb\nc\nd', 'a\nB\nBB\nc\nd')).toEqual(['  a', '- b', '+ B', '+ BB', '  c', '  d']);
  });

  it.each([
    ['', 'new', ['- ', '+ new']],
    ['a', 'a\na', ['  a', '+ a']],
    ['a\na', 'a', ['  a', '- a']],
    ['one', 'two', ['- one', '+ two']],
  ])('shows all of both texts: %j to %j', (oldText, newText, rows) => {
    expect(shown(oldText, newText)).toEqual(rows);
  });

  it('keeps every line of both texts', () => {
    const rows = diffRows('x\ny\nx\ny', 'y\nx\nz\ny');
    const texts = (marks: string) => rows.filter(({ mark }) => marks.includes(mark)).map(({ text }) => text);
    expect(texts(' -').join('\n')).toBe('x\ny\nx\ny');
    expect(texts(' +').join('\n')).toBe('y\nx\nz\ny');
  });

  it('leaves the columns of the marks to the marks, also in a line that is wrapped', () => {
    const rows = shown('short', `${'word '.repeat(4)}- not a mark`, 12);
    expect(rows.slice(2).every((row) => row.startsWith('· '))).toBe(true);
    expect(rows.map((row) => row.slice(2)).join('')).toContain('- not a mark');
  });

  it('makes invisible characters visible', () => {
    const text = shown('a', 'a\u202e\u001b[1m').join('');
    for (const hidden of ['\u202e', '\u001b']) expect(text).not.toContain(hidden);
  });

  it('is that of edit_file only', () => {
    const params = { oldText: 'a', newText: 'b' };
    expect(editOf({ toolName: 'edit_file', params })).toEqual(params);
    expect(editOf({ toolName: 'mcp__x__edit', params })).toBeUndefined();
    expect(editOf({ toolName: 'edit_file', params: { oldText: 'a' } })).toBeUndefined();
  });
});
