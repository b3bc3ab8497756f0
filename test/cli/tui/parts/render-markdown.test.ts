import { describe, expect, it } from 'vitest';
import { completeMarkdown } from '../../../../src/cli/tui/parts/complete-markdown.ts';
import {
  renderMarkdown,
  markdownLines,
  type MarkdownLayout,
} from '../../../../src/cli/tui/parts/render-markdown.ts';
import { lineText, lineWidth } from '../../../../src/cli/tui/parts/line.ts';

const shown = (text: string, width = 60) => markdownLines(text, width).map(lineText);

const rowsOf = ({ settled, tail }: MarkdownLayout) => [...settled, ...tail].map(lineText);

const everything = `# A heading with **bold**

A paragraph with *emphasis*, \`code\`, ~~struck~~ and [a link](https://example.com/page).
It goes on & on &lt;here&gt;.

- one
  - nested **deep**
    1. numbered
- two

  a second paragraph

> quoted
> - a list in it

| Name | What it is | n |
|------|:----------:|--:|
| a | short | 1 |
| 日本語 | a much longer cell that has to be broken somewhere | 22 |

\`\`\`ts
const a = 1;
\tif (a) {}
\`\`\`

***

1. [x] done
2. [ ] open
`;

describe('renderMarkdown', () => {
  it('renders every kind of block', () => {
    expect(shown(everything)).toEqual([
      'A heading with bold',
      '',
      'A paragraph with emphasis, code, struck and a link',
      '(https://example.com/page). It goes on & on <here>.',
      '',
      '• one',
      '  • nested deep',
      '    1. numbered',
      '',
      '• two',
      '',
      '  a second paragraph',
      '',
      '▎ quoted',
      '▎ ',
      '▎ • a list in it',
      '',
      'Name   │                   What it is                   │  n',
      '───────┼────────────────────────────────────────────────┼───',
      'a      │                     short                      │  1',
      '日本語 │    a much longer cell that has to be broken    │ 22',
      '       │                   somewhere                    │   ',
      '',
      'ts',
      '  const a = 1;',
      '      if (a) {}',
      '',
      '─'.repeat(40),
      '',
      '1. ☑ done',
      '2. ☐ open',
    ]);
  });

  it.each([12, 20, 37, 80])('never makes a row wider than %i columns', (width) => {
    const long = `${everything}\n${'x'.repeat(300)} 漢字漢字漢字漢字漢字 👩‍💻👩‍💻👩‍💻👩‍💻👩‍💻`;
    for (const line of markdownLines(long, width))
      expect(lineWidth(line), lineText(line)).toBeLessThanOrEqual(width);
  });

  it('Markdown escapes control and bidi characters', () => {
    expect(shown('a \u001b[31mred\u202e\n\n```\n\u0007\n```\n\n[x](http://a\u001b]8;;)').join('\n')).toBe(
      'a \\x1b[31mred\\u{202e}\n\n  \\x07\n\n[x](http://a\\x1b]8;;)',
    );
  });

  it('renders Markdown of any length', () => {
    expect(markdownLines(`\`\`\`\n${'x\n'.repeat(300_000)}\`\`\``, 40)).toHaveLength(300_000);
  });

  it('lists the cells of a table that is too wide', () => {
    expect(shown('| a | b | c | d |\n|-|-|-|-|\n| first | second | third | fourth |', 20)).toEqual([
      'a: first',
      'b: second',
      'c: third',
      'd: fourth',
    ]);
  });

  it('renders the same however the text was chunked, and parses only the end again', () => {
    const text = `${everything}\n\n${everything}`;
    let earlier: MarkdownLayout | undefined;
    for (let length = 1; length <= text.length; length += 3)
      earlier = renderMarkdown(text.slice(0, length), 50, { isComplete: false, earlier });
    expect(earlier?.progress.length).toBeGreaterThan(text.length * 0.8);
    const streamed = renderMarkdown(text, 50, { earlier });
    expect(rowsOf(streamed)).toEqual(shown(text, 50));
  });
});

describe('completeMarkdown', () => {
  it.each([
    ['a **bo', 'a **bo**'],
    ['a **bold*', 'a **bold**'],
    ['a *em **both', 'a *em **both***'],
    ['a `co', 'a `co`'],
    ['a `', 'a '],
    ['see [the li', 'see the li'],
    ['see [it](http://exa', 'see it'],
    ['snake_case_na', 'snake_case_na'],
    ['2 * 3', '2 * 3'],
    ['done\n-', 'done\n'],
    ['done\n##', 'done\n'],
    ['one **two** three', 'one **two** three'],
    ['text\n\n| a | b |', 'text\n'],
    ['text\n\n| a | b |\n|--', 'text\n'],
    ['| a | b |\n|---|---|', '| a | b |\n|---|---|'],
    ['```js\nlet a = `', '```js\nlet a = `'],
    ['```js\nlet a\n``', '```js\nlet a'],
  ])('completes %j as %j', (text, expected) => {
    expect(completeMarkdown(text)).toBe(expected);
  });

  it('never changes rows before the last ones while text streams', () => {
    const text = 'Some **bold words** here, `code` too.\n\n- a *list*\n- of [two](http://b.c)\n\nThe end.\n';
    let before: string[] = [];
    for (let length = 1; length <= text.length; length++) {
      const lines = rowsOf(renderMarkdown(text.slice(0, length), 80, { isComplete: false }));
      const stable = before.slice(0, -1);
      expect(lines.slice(0, stable.length), text.slice(0, length)).toEqual(stable);
      expect(lines.join('')).not.toMatch(/[*`[\]]/);
      before = lines;
    }
  });
});
