import { describe, expect, it } from 'vitest';
import { highlightCode } from '../../../../src/cli/tui/parts/highlight-code.ts';
import { lineText, lineWidth } from '../../../../src/cli/tui/parts/line.ts';
import { type MarkdownLayout, renderMarkdown } from '../../../../src/cli/tui/parts/render-markdown.ts';

const rowsOf = ({ settled, tail }: MarkdownLayout) => [...settled, ...tail];

describe('highlightCode', () => {
  it('distinguishes keywords, strings, numbers and comments', () => {
    const [line = []] = highlightCode('const a = "x" + 1; // why', 'ts') ?? [];
    expect(line.map(({ text, style }) => [text.trim(), style?.tone])).toEqual([
      ['const', 'keyword'],
      ['a =', undefined],
      ['"x"', 'string'],
      ['+', undefined],
      ['1', 'number'],
      [';', undefined],
      ['// why', 'muted'],
    ]);
  });

  it('shows what a diff adds and removes', () => {
    const lines = highlightCode('@@ -1 +1 @@\n-old\n+new\n same', 'diff') ?? [];
    expect(lines.map(([span]) => span?.style?.tone)).toEqual(['name', 'bad', 'good', undefined]);
  });

  it('leaves unknown languages and very long code plain', () => {
    expect(highlightCode('x', 'brainfuck')).toBeUndefined();
    expect(highlightCode('x;\n'.repeat(50_000), 'ts')).toBeUndefined();
  });

  it.each(['ts', 'python', 'sh', 'json', 'yaml', 'rust', 'sql', 'html'])(
    'changes no letter of %s',
    (language) => {
      const code = 'a: "b" # c\n\tif (x) { `${y}` } // \\ \u001b[31m é 漢字\n\n<p class="z">&amp;</p>\n';
      const text = (highlightCode(code, language) ?? []).map(lineText).join('\n');
      expect(text).toBe(code.replaceAll('\t', '    ').replaceAll('\u001b', '\\x1b'));
    },
  );
});

describe('code in an answer', () => {
  it('puts nothing between the rows of a line that is too long', () => {
    const code = `x${'0123456789'.repeat(5)}`;
    const rows = rowsOf(
      renderMarkdown(`\`\`\`ts\n${code}\nlet b;\n\`\`\``, 20, { highlight: highlightCode }),
    );
    expect(rows.map(lineText)).toEqual([
      'ts',
      `  ${code.slice(0, 18)}`,
      code.slice(18, 38),
      code.slice(38),
      '  let b;',
    ]);
    expect(rows.map(([first]) => first?.isContinued ?? false)).toEqual([false, false, true, true, false]);
    for (const row of rows) expect(lineWidth(row)).toBeLessThanOrEqual(20);
  });

  it.each([
    ['code', 'export const value = compute(1, "two"); // comment\n', '```ts\n', '```\n\nThe end.\n'],
    ['a list', '- an item with **bold** words in it\n', '', '\nThe end.\n'],
    ['a loose list', '- an item with **bold** words in it\n\n', '', '\nThe end.\n'],
  ])('renders %s of 40 KB alike, whole or piece by piece', (_, unit, opening, closing) => {
    const text = opening + unit.repeat(40_000 / unit.length) + closing;
    let earlier: MarkdownLayout | undefined;
    for (let length = 0; length < text.length; length += 997) {
      earlier = renderMarkdown(text.slice(0, length), 70, { isComplete: false, earlier });
      // Only so much is read again with the next piece.
      expect(length - earlier.progress.length).toBeLessThan(7_000);
    }
    const streamed = rowsOf(renderMarkdown(text, 70, { earlier })).map(lineText);
    expect(streamed).toEqual(rowsOf(renderMarkdown(text, 70)).map(lineText));
    expect(streamed.length).toBeGreaterThan(700);
  });

  it('keeps the words of a paragraph of any length', () => {
    const words = Array.from({ length: 6_000 }, (_, at) => `word${at}`);
    let earlier: MarkdownLayout | undefined;
    const text = words.join(' ');
    for (let length = 0; length < text.length; length += 997)
      earlier = renderMarkdown(text.slice(0, length), 70, { isComplete: false, earlier });
    const rows = rowsOf(renderMarkdown(text, 70, { earlier })).map(lineText);
    expect(rows.join(' ').split(/ +/)).toEqual(words);
    expect(rows).not.toContain('');
  });

  it('does not take a layout of another text', () => {
    const earlier = renderMarkdown('one\n\ntwo\n\nthree\n\nfour', 40, { isComplete: false });
    const rows = rowsOf(renderMarkdown('1\n\n2\n\n3\n\n4\n\n5 and more', 40, { earlier })).map(lineText);
    expect(rows).toEqual(['1', '', '2', '', '3', '', '4', '', '5 and more']);
  });
});
