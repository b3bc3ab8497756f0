import fc from 'fast-check';
import { Parser } from 'htmlparser2';
import { marked } from 'marked';
import { describe, expect, it } from 'vitest';
import { sanitizeMarkdown } from '../../../../src/core/integrations/comments/sanitize-markdown.ts';
import { sized } from '../../../helpers/long.ts';

/** The gap that nobody sees, shown. */
const shown = async (text: string) => (await sanitizeMarkdown(text)).replaceAll('\u200b', '·');

describe('untrusted Markdown', () => {
  it.each([
    ['a mention', 'ask @octocat', 'ask @·octocat'],
    ['a mention of a team', '@acme/admins look', '@·acme/admins look'],
    ['a mention of a bot', '(@dependabot merge)', '(@·dependabot merge)'],
    ['a mention behind an escape', String.raw`\@octocat`, '@·octocat'],
    ['a mention behind an entity', '&#64;octocat &commat;octocat', /^(?!.*@[a-z]).*octocat/],
    ['a mention after letters', 'é@octocat', 'é@·octocat'],
    ['a mention in emphasis', '**@octocat**', '**@·octocat**'],
    ['a mention in a heading', '# hi @octocat', '**hi @·octocat**'],
    ['a mention in a table', '|a|\n|-|\n|@x|', '| a |\n| --- |\n| @·x |'],
    ['a mention as a link', '[@octocat](https://evil.example)', '@·octocat (<https://evil.example/>)'],
    ['a mention of Jira', '[~accountid:5b10]', String.raw`\[\~accountid:5b10\]`],
    ['an e-mail address', 'write to a@b.example', 'write to a@·b.example'],
    ['a reference', 'fixes #12, closes acme/web#3', 'fixes #·12, closes acme/web#·3'],
    ['a reference in two pieces', String.raw`fixes \#12`, 'fixes #·12'],
    ['a reference by letters', 'resolves GH-7 and ENG-12', 'resolves GH-·7 and ENG-·12'],
    ['one after a line', '_x_GH-7 ENG2-1 2026-11-22', String.raw`\_x\_GH-·7 ENG2-·1 2026-11-22`],
    ['a reference by its address', 'https://github.com/o/r/issues/1', '`https://github.com/o/r/issues/1`'],
    ['one that is hidden', '[here](https://github.com/o/r/pull/2)', 'here (`https://github.com/o/r/pull/2`)'],
    [
      'one that is written oddly',
      '<https://github.com/o/r/%69ssues/1>',
      '`https://github.com/o/r/%69ssues/1`',
    ],
    ['an issue of Linear', 'https://linear.app/a/issue/ENG-1/x', '`https://linear.app/a/issue/ENG-1/x`'],
    ['an issue of Jira', 'https://a.atlassian.net/browse/A-1', '`https://a.atlassian.net/browse/A-1`'],
    ['an image', '![a chart](https://evil.example/p.png)', 'Image: a chart (<https://evil.example/p.png>)'],
    ['an image that is its own text', '![](data:image/png;base64,AAAA)', 'Image'],
    [
      'an image by reference',
      '![x][1]\n\n[1]: https://evil.example/p',
      'Image: x (<https://evil.example/p>)',
    ],
    ['an image in HTML', '<img src="https://evil.example/p">', /^&lt;img src="https:·\/\/evil/],
    ['HTML in a line', 'a <b onclick=x>b</b>', 'a &lt;b onclick=x&gt;b&lt;/b&gt;'],
    ['a comment that never ends', 'a <!-- b', 'a &lt;!-- b'],
    ['a fold', '<details><summary>x</summary>', '&lt;details&gt;&lt;summary&gt;x&lt;/summary&gt;'],
    ['an entity of HTML', '&lt;script&gt;', '&lt;script&gt;'],
    [
      'a link that looks like another',
      '[https://bank.example](https://evil.example)',
      /^https:·\/\/bank\.example \(<https:\/\/evil\.example\/>\)$/,
    ],
    ['a link with a title', '[a](https://x.example "b")', 'a (<https://x.example/>)'],
    ['a link that runs', '[a](javascript:alert(1))', 'a'],
    ['a link out of nowhere', '[a](/admin)', 'a'],
    [
      'a link in a cell',
      '|a|\n|-|\n|[b](https://x.example/?c=%7C)|',
      '| a |\n| --- |\n| b (<https://x.example/?c=%7C>) |',
    ],
    ['a bare link', 'www.evil.example', 'www·.evil.example (<http://www.evil.example/>)'],
    ['one behind letters', 'xwww.evil.example _www.evil.example', /^xwww·.evil.example \\_www·\.evil/],
    ['a command', '/approve', '/approve'],
    ['an alert', '> [!WARNING]\n> pay', '> \\[!WARNING\\]\n> pay'],
    ['a footnote', '[^1]', String.raw`\[^1\]`],
    ['a fence that never ends', '```\n@octocat', '```\n@octocat\n```'],
    ['a drawing', '```mermaid\ngraph\n```', '```\ngraph\n```'],
    ['a suggestion', '```suggestion\nx\n```', '```\nx\n```'],
    ['a fence in a fence', '````\n```\nx\n```\n````', '````\n```\nx\n```\n````'],
    ['code', '`@Input() #1`', '`@Input() #1`'],
    ['code with ticks', '`` a`b ``', '``a`b``'],
    ['code beside code', '``@octocat`b``[](x)`c`', '``@octocat`b``·`c`'],
    ['words gone twice', '~~**~~a~~**~~', '~~**~~a~~**~~'],
    ['code in a cell', '|a|\n|-|\n|`b \\| c`|', '| a |\n| --- |\n| `b \\| c` |'],
    ['a line that would be a list', String.raw`\- a`, String.raw`\- a`],
    ['a line that would be a heading', String.raw`\# a`, String.raw`\# a`],
    ['an item of nothing', '- a\n  - [](x)\n- b', '- a\n- b'],
    ['a rule under a line', 'a\n\n\\---', /^a\n\n\\---$/],
  ])('sanitizes %s', async (_, text, expected) => {
    if (typeof expected === 'string') expect(await shown(text)).toBe(expected);
    else expect(await shown(text)).toMatch(expected);
  });

  it('keeps the formatting of harmless Markdown', async () => {
    const text = [
      'A **bold** and *soft* word, ~~gone~~, `code`.',
      '3. three\n   - in it\n\n     more\n4. four',
      '- ☑ done\n- ☐ open',
      '```ts\nconst a = 1;\n```',
      '| a | b |\n| --- | --: |\n| 1 | 2 |',
      '> said\n>\n> so',
      '* * *',
    ].join('\n\n');
    expect(await sanitizeMarkdown(text.replace('☑', '[x]').replace('☐', '[ ]'))).toBe(text);
  });

  it.each([
    ['quotes', '>'.repeat(10_000)],
    ['lists', '1. '.repeat(3000)],
    ['brackets', '['.repeat(10_000)],
    ['emphasis', '_a_'.repeat(3300)],
    ['signs that grow', '&'.repeat(10_000)],
    ['lists that grow', Array.from({ length: 130 }, (_, at) => `${' '.repeat(at)}- a`).join('\n')],
  ])('handles thousands of nested %s', async (_, text) => {
    const sanitized = await sanitizeMarkdown(text);
    expect(sanitized.length).toBeLessThan(55_000);
    expect(reach(sanitized)).toEqual([]);
  });

  it('sanitizes random Markdown so that it mentions and links nothing', async () => {
    expect(
      reach('@octocat #12 ![a](https://e.example/p) <b> <!-- --> https://g.example/o/r/issues/1'),
    ).toHaveLength(6);
    const pieces = [
      '@octocat',
      '#12',
      'GH-1',
      'fixes ',
      '![a](https://e.example/p)',
      '<img src=x>',
      '<!--',
      '-->',
      '`',
      '```\n',
      '~~~\n',
      '\n',
      '\n\n',
      '> ',
      '- ',
      '1. ',
      '|',
      '|-|\n',
      '[',
      ']',
      '(',
      ')',
      '\\',
      '*',
      '_',
      '~~',
      '&#64;',
      '&lt;',
      '<',
      '>',
      'https://github.com/o/r/issues/1',
      'www.e.example',
      'a@b.example',
      '[x]: https://e.example/i',
      '    ',
      '\t',
      'word',
      '@',
      '#',
      '$',
      '\u200d',
      '<a href=x>',
      '``@octocat`b``',
      '`c`',
      '[](x)',
      '**',
      '~~a~~',
      '    - ',
      '  \n',
      '---\n',
      '<https://github.com/o/r/pull/1>',
      '[b](https://e.example/`~)',
    ];
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...pieces), { maxLength: 40 }), async (parts) => {
        const sanitized = await sanitizeMarkdown(parts.join(''));
        expect(reach(`> ${sanitized.replaceAll('\n', '\n> ')}\n\n<sub>ours</sub>`)).toEqual([]);
      }),
      { numRuns: sized(400, 3000) },
    );
  });
});

const harmless = new Set(
  'p strong em del code pre blockquote ul ol li table thead tbody tr th td hr br a sub'.split(' '),
);

/** What of a text would be more than text, as another program reads Markdown. */
function reach(markdown: string): string[] {
  const found: string[] = [];
  const open: string[] = [];
  const parser = new Parser({
    onopentag(name, attributes) {
      open.push(name);
      if (!harmless.has(name)) found.push(`<${name}>`);
      if (name === 'a' && /issues|pull|^mailto|^(?!https?:)/.test(attributes['href'] ?? ''))
        found.push(String(attributes['href']));
    },
    onclosetag: () => void open.pop(),
    oncomment: (text) => void found.push(`<!--${text}`),
    ontext(text) {
      if (open.some((name) => name === 'code' || name === 'a')) return;
      for (const [hit] of text.matchAll(/@[\w-]+|#\d+|\bGH-\d+|https?:\/\/\S+/g)) found.push(hit);
    },
  });
  parser.write(marked.parse(markdown, { async: false, gfm: true }));
  parser.end();
  return found;
}
