import { describe, expect, it } from 'vitest';
import { htmlToText } from '../../../../src/core/tools/internet/html-to-text.ts';

const url = 'https://example.org/docs/page?x=1';
const textOf = async (html: string) => (await htmlToText(html, url)).text;

describe('htmlToText', () => {
  it.each([
    ['headings', '<h1>One</h1><h3> T<b>w</b>o </h3>text', '# One\n\n### Two\n\ntext'],
    ['paragraphs', '<p>one<p>two\n  lines</p>three', 'one\n\ntwo lines\n\nthree'],
    ['lines', '<div>one</div><div>two<br>three</div>', 'one\ntwo\nthree'],
    ['one blank between words', 'a  <b> b </b>\n c', 'a b c'],
    ['characters by name', '&lt;a&gt; &amp; &#x27;&eacute;&nbsp;x', "<a> & 'é x"],
    ['a list', '<ul><li>one<li>two</ul>end', '- one\n- two\n\nend'],
    ['a list in a list', '<ul><li>one<ul><li>two</ul><li>three</ul>', '- one\n  - two\n- three'],
    ['a list with numbers', '<ol><li>one</li><li><p>two</p></li></ol>', '1. one\n2. two'],
    ['an entry of two paragraphs', '<ul><li><p>one</p><p>two</p></ul>', '- one\n\n  two'],
    ['no list entry without words', '<ul><li></li><li>one</li></ul>', '- one'],
    ['code in a line', 'so <code>a  = 1</code>, or <code>`b`</code>', 'so `a = 1`, or `` `b` ``'],
    ['code', '<pre><code>\nif (a) {\n  <i>b</i>();\n}\n</code></pre>x', '```\nif (a) {\n  b();\n}\n```\n\nx'],
    ['code with a fence in it', '<pre>```\nx\n```</pre>', '````\n```\nx\n```\n````'],
    ['code in a list', '<ul><li>so<pre>a\nb</pre></li></ul>', '- so\n\n  ```\n  a\n  b\n  ```'],
    ['a quote', '<blockquote><p>one</p><p>two<br>three</blockquote>four', '> one\n>\n> two\n> three\n\nfour'],
    ['a table', '<table><tr><th>A<th>B<tr><td>1<td>2</table>', 'A | B\n1 | 2'],
    ['a rule', 'a<hr>b', 'a\n\n---\n\nb'],
    ['the description of an image', '<img src=a.png alt="A cat"><img src=b.png>', '[image: A cat]'],
  ])('renders HTML with %s', async (_, html, text) => {
    expect(await textOf(html)).toBe(text);
  });

  it('returns the title of a page in one line', async () => {
    const html = '<title> A &amp;\n B </title><svg><title>icon</title></svg><title>another</title>';
    expect(await htmlToText(html, url)).toEqual({ title: 'A & B', text: 'another' });
  });

  it.each([
    ['scripts', '<script>if (a < b) document.write("<p>no</p>")</script>'],
    ['styles', '<style>p { color: red }</style>'],
    ['navigation', '<nav><ul><li><a href="/">no</a></ul></nav>'],
    ['comments', '<!-- no -->'],
    ['hidden elements', '<p hidden>no</p><div style="color: red; Display : none"><p>no</p></div>'],
    ['templates and drawings', '<template><p>no</template><svg><text>no</text></svg>'],
  ])('leaves %s out of the text of a page', async (_, html) => {
    expect(await textOf(`<p>one</p>${html}<p>two</p>`)).toBe('one\n\ntwo');
  });

  it('keeps a page that is hidden until a script runs', async () => {
    expect(await textOf('<body style="visibility: hidden"><p>one')).toBe('one');
  });
});

describe('htmlToText on a link', () => {
  it.each([
    ['to a sibling page', '<a href="other">o</a>', '[o](https://example.org/docs/other)'],
    ['to the root', '<a href="/">o</a>', '[o](https://example.org/)'],
    ['to another site', '<a href="//b.example/c d">o</a>', '[o](https://b.example/c%20d)'],
    ['with brackets', '<a href="/a_(b)">o</a>', '[o](https://example.org/a_%28b%29)'],
    [
      'relative to the base of the page',
      '<base href="/v2/"><a href="a">o</a>',
      '[o](https://example.org/v2/a)',
    ],
    ['to an anchor in the page', '<a href="#top">o</a>', 'o'],
    ['to a script', '<a href="javascript:alert(1)">o</a>', 'o'],
    ['to data', '<a href="data:text/html,x">o</a>', 'o'],
    ['to nothing', '<a name="x">o</a>', 'o'],
    ['without words', 'a<a href="/x"><i></i></a>b', 'ab'],
    ['of an image', '<a href="/x"><img alt="A cat"></a>', '[[image: A cat]](https://example.org/x)'],
    ['of code', '<a href="/x"><code>f()</code></a>', '[`f()`](https://example.org/x)'],
    ['with its blanks outside', 'a<a href="/x"> b </a>c', 'a [b](https://example.org/x) c'],
    ['in a heading', '<h2><a href="/x">b</a></h2>', '## [b](https://example.org/x)'],
    ['around paragraphs', '<a href="/x"><h2>b</h2><p>c</p></a>', '## b\n\nc\n\n<https://example.org/x>'],
    [
      'that is not closed',
      '<a href="/x">b <a href="/y">c</a> d',
      '[b](https://example.org/x) [c](https://example.org/y) d',
    ],
  ])('renders a link %s', async (_, html, text) => {
    expect(await textOf(html)).toBe(text);
  });
});

describe('htmlToText on a malicious page', () => {
  const size = 2_000_000;
  const fill = (part: string) => part.repeat(Math.floor(size / part.length));

  it.each([
    ['nests without end', fill('<b>') + fill('</i>')],
    ['nests lists without end', fill('<ul><li>x')],
    ['nests as deep as it may and closes what is not open', '<b>'.repeat(500) + fill('</i>')],
    ['repeats a long base in short links', `<base href="/${'x'.repeat(1900)}/">${fill('<a href=x>y</a>')}`],
    ['has a very long base', `<base href="/${fill('x')}/">${'<a href=x>y</a>'.repeat(1000)}`],
    ['has a link to a very long address', `<a href="/${fill('x')}">y</a>`],
    ['is blank', `a${fill(' ')}b`],
    ['is a blank line of code', `<pre>${fill(' ')}x</pre>`],
    ['is quotes of code', `<pre>${fill('`a')}</pre>`],
    ['is one tag', `<a ${fill('x ')}`],
    ['is one style', `<p style="display${fill(' ')}">`],
    ['is signs of tags', fill('<')],
    ['is a comment', `<!--${fill('-')}`],
  ])('finishes on a page that %s, with bounded output', async (_, html) => {
    const { text } = await htmlToText(html, url);
    expect(text.length).toBeLessThan(size * 1.1);
  });

  it('drops links whose address is too long', async () => {
    expect(await textOf(`<a href="/${'x'.repeat(3000)}">y</a>`)).toBe('y');
    const base = `<base href="/${'x'.repeat(1960)}/">`;
    expect(await textOf(`${base}<a href="${'x'.repeat(50)}">y</a>`)).toBe('y');
  });

  it('yields to the event loop, and stops when it is aborted', async () => {
    let turns = 0;
    const count = () => {
      turns++;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    await htmlToText(fill('<p>x'), url);
    clearImmediate(timer);
    expect(turns).toBeGreaterThan(50);
    const controller = new AbortController();
    const reading = htmlToText(fill('<p>x'), url, controller.signal);
    controller.abort();
    await expect(reading).rejects.toThrow('abort');
  });
});
