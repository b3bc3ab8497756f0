import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunkText, type TextChunk } from '../../../../src/core/memory/files/chunk-text.ts';
import { sized } from '../../../helpers/long.ts';

/** A longer line comes in pieces. */
const LONG = 3200;

/** What is wrong with chunks of a text, beside how well they are cut. */
function errors(text: string, chunks: TextChunk[]): string[] {
  const lines = text.split('\n');
  const covered = new Set<number>();
  const pieces = new Map<number, string>();
  const found: string[] = [];
  for (const { startLine, endLine, text: piece } of chunks) {
    const line = lines[startLine - 1] ?? '';
    if (line.length > LONG) {
      if (endLine !== startLine) found.push(`a long line with others: ${startLine}-${endLine}`);
      pieces.set(startLine, (pieces.get(startLine) ?? '') + piece);
    } else if (lines.slice(startLine - 1, endLine).join('\n') !== piece)
      found.push(`not its lines: ${startLine}-${endLine}`);
    if (!piece.isWellFormed() && text.isWellFormed()) found.push(`half a character: ${startLine}`);
    if (piece.trim() === '' && line.length <= LONG) found.push(`blank: ${startLine}`);
    for (let at = startLine; at <= endLine; at++) covered.add(at);
  }
  for (const [line, piece] of pieces)
    if (piece !== lines[line - 1]) found.push(`pieces of ${line} are not it`);
  for (const [at, line] of lines.entries())
    if (line.trim() !== '' && !covered.has(at + 1)) found.push(`missing: ${at + 1}`);
  return found;
}

const line = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'grapheme', maxLength: 120 }) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      '',
      '\r',
      '  ',
      '# One',
      '## Two\r',
      '### ',
      'Title',
      '===',
      '---',
      '```',
      '~~~~',
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      'function a() {',
      '}',
      'class B:',
      '    return 1',
      '// why',
      'export const x = 1;',
      '<!--',
      '-->',
      '<pre>',
      '</pre>',
    ),
  },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 30 }).map((n) => '😀 wörd '.repeat(n * 40)) },
  { weight: 1, arbitrary: fc.nat(300).map((n) => 'x'.repeat(n) + '😀'.repeat(1500 + n)) },
);
const anyText = fc
  .tuple(
    fc.constantFrom('', '\uFEFF', '---\ntitle: x\n---\n'),
    fc.array(line, { maxLength: 120 }),
    fc.constantFrom('\n', '\r\n'),
  )
  .map(([start, lines, ending]) => start + lines.join(ending));

describe('chunkText', () => {
  it.each(['a.md', 'a.ts', 'a.txt', 'Makefile'])('the chunks of a text keep every character (%s)', (name) => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(errors(text, chunkText(name, text))).toEqual([]);
      }),
      { numRuns: sized(60, 300) },
    );
  });

  it('creates chunks of about 400 tokens that overlap by about 50', () => {
    const lines = Array.from(
      { length: 400 },
      (_, at) => `Line ${at} says something of about sixty characters, always.`,
    );
    const chunks = chunkText('a.txt', lines.join('\n'));
    for (const { text } of chunks) expect(text.length).toBeLessThanOrEqual(1600);
    for (const [at, chunk] of chunks.slice(1).entries()) {
      const before = chunks[at];
      const repeated = lines.slice(chunk.startLine - 1, before?.endLine).join('\n');
      expect(repeated.length).toBeGreaterThan(100);
      expect(repeated.length).toBeLessThanOrEqual(200);
    }
  });

  it('splits a 100 KB line at spaces, or between characters without any', () => {
    for (const long of ['word '.repeat(20_000), '😀'.repeat(25_000)]) {
      const chunks = chunkText('a.txt', `first\n${long}\nlast`);
      const pieces = chunks.filter(({ startLine }) => startLine === 2);
      expect(pieces.map(({ text }) => text).join('')).toBe(long);
      expect(Math.max(...pieces.map(({ text }) => text.length))).toBeLessThanOrEqual(1600);
      expect(pieces.every(({ endLine, text }) => endLine === 2 && text.isWellFormed())).toBe(true);
      expect(chunks.at(-1)).toMatchObject({ startLine: 3, text: 'last' });
    }
  });

  it('keeps a line of up to twice the target whole and splits a longer one', () => {
    const cut = (line: string) =>
      chunkText('a.txt', `first\n${line}\nlast`).map(
        ({ startLine, endLine, text }) => `${startLine}-${endLine} ${text.length}`,
      );
    expect(cut('x'.repeat(3200))).toEqual(['1-1 5', '2-2 3200', '3-3 4']);
    expect(cut('x'.repeat(3201))).toEqual(['1-1 5', '2-2 1600', '2-2 1600', '2-2 1', '3-3 4']);
  });

  it('creates no chunk of a blank text', () => {
    for (const text of ['', '\n\n', ' \r\n\t\n']) expect(chunkText('a.md', text)).toEqual([]);
  });

  it('chunking is not slower for hostile texts', () => {
    const texts = [
      '# '.repeat(500_000),
      `#${' '.repeat(500_000)}#`,
      '#'.repeat(500_000),
      `${'-'.repeat(500_000)}x`,
      '\n'.repeat(500_000),
      `${'`'.repeat(9)}\n`.repeat(50_000),
      'export '.repeat(70_000),
      'a\n'.repeat(200_000),
      '> '.repeat(250_000),
      '<pre'.repeat(120_000),
      '<pre>\n'.repeat(80_000),
      `<pre>${'</pre'.repeat(100_000)}`,
      '<!--\n--'.repeat(70_000),
    ];
    for (const text of texts)
      for (const name of ['a.md', 'a.ts', 'a.txt']) {
        const before = process.cpuUsage();
        chunkText(name, text);
        expect(process.cpuUsage(before).user / 1e6).toBeLessThan(5);
      }
  });
});

describe('chunkText of Markdown', () => {
  const headings = (text: string) =>
    chunkText('a.md', text).map(({ startLine, endLine, heading }) => `${startLine}-${endLine} ${heading}`);

  it('splits Markdown at headings and records their path', () => {
    expect(
      headings(
        '# Install\n\nAll of it.\n\n## Linux ##\n\napt\n\n### Debian\nold\n\n## macOS\nbrew\n\nUse\n===\n\nrun\n\nMore of\nit\n---\nend',
      ),
    ).toEqual([
      '1-3 Install',
      '5-7 Install > Linux',
      '9-10 Install > Linux > Debian',
      '12-13 Install > macOS',
      '15-18 Use',
      '20-23 Use > More of it',
    ]);
  });

  it('finds no heading in fences, comments, lists and tables', () => {
    expect(
      headings(
        '# A\n```sh\n# no\n~~~\n```\n~~~\n# no\n```\n~~~\n<!--\n# no\n-->\n- item\n---\n| a |\n---\n#no\n    # no\nend',
      ),
    ).toEqual(['1-19 A']);
    expect(headings('```\n# no\n\nopen to the end')).toEqual(['1-4 ']);
  });

  it.each([
    ['<pre>', '</pre>'],
    ['  <PRE class="x">', 'end</Pre> of it'],
    ['<script', '</script>'],
    ['<style>\r', '</style>\r'],
    ['   <textarea rows="3">', '</textarea>'],
    ['<!-- a', '-->'],
    ['before\n<!--', 'b --> c'],
  ])('finds no heading in HTML between %j and %j', (start, end) => {
    const lines = ['# A', start, '# no', '', '```', '## no', 'no', '---', end, '# B', 'text'].join('\n');
    const count = lines.split('\n').length;
    expect(headings(lines)).toEqual([`1-${count - 2} A`, `${count - 1}-${count} B`]);
    expect(headings(`${start}\n# no\n\n# open to the end`)).toHaveLength(1);
  });

  it('finds headings after HTML that ends on its line and after other tags', () => {
    for (const html of ['<pre>x</pre>', '<!-- x -->', '<!---->', '<script src="x"></SCRIPT>'])
      expect(headings(`${html}\n---\n# A\ntext`)).toEqual(['1-2 ', '3-4 A']);
    for (const other of ['<preface>', '    <pre>', '<div>', 'a <pre>', '</pre>'])
      expect(headings(`${other}\n\n# A\ntext`)).toEqual(['1-1 ', '3-4 A']);
  });

  it.each(['# Install\n', 'Install\n===\n', ' # Install\r\n'])(
    'finds a heading after a byte order mark and keeps the mark (%j)',
    (start) => {
      const text = `\uFEFF${start}run`;
      const [chunk, ...others] = chunkText('a.md', text);
      expect(chunk).toMatchObject({ heading: 'Install', startLine: 1, text });
      expect(others).toEqual([]);
    },
  );

  it('drops outer headings of a long heading path', () => {
    const long = (sign: string) => sign.repeat(180);
    const text = `# ${long('a')}\n## ${long('b')}\n### ${long('c')}\ntext\n`;
    expect(headings(text)).toEqual([`1-4 ${long('b')} > ${long('c')}`]);
  });

  it('ignores headings with hardly any text between them', () => {
    const sections = (count: number, text: string) => `## x\n${text}\n`.repeat(count);
    expect(headings(sections(90, 'y'))).toHaveLength(90);
    expect(headings(sections(2000, 'A few words that are worth a heading'))).toHaveLength(2000);
    expect(headings(sections(2000, 'y')).length).toBeLessThan(20);
  });

  it('merges front matter with the first section and an empty heading with the next', () => {
    expect(headings('\uFEFF---\r\ntitle: x\r\n# no\r\n---\r\n\r\n# A\r\n\r\n## B\r\ntext')).toEqual([
      '1-9 A > B',
    ]);
    expect(headings('# Only')).toEqual(['1-1 Only']);
    expect(headings('before\n\n# A\ntext')).toEqual(['1-1 ', '3-4 A']);
  });
});

describe('chunkText of programs', () => {
  const body = (name: string, lines: number) =>
    Array.from(
      { length: lines },
      (_, at) => `    ${name}(${at}); // some work that has to be done here`,
    ).join('\n');

  it.each<[string, string[]]>([
    [
      'a.ts',
      ['first', 'second', 'third'].map(
        (name) => `/** Says why. */\nexport function ${name}() {\n${body(name, 20)}\n}`,
      ),
    ],
    ['a.py', ['first', 'second', 'third'].map((name) => `@cached\ndef ${name}():\n${body(name, 20)}`)],
    [
      'a.go',
      ['first', 'second', 'third'].map(
        (name) => `// ${name} does it.\nfunc ${name}() {\n${body(name, 20)}\n}`,
      ),
    ],
    [
      'a.rs',
      ['first', 'second', 'third'].map((name) => `#[inline]\npub fn ${name}() {\n${body(name, 20)}\n}`),
    ],
    ['a.rb', ['first', 'second', 'third'].map((name) => `def ${name}\n${body(name, 20)}\nend`)],
    [
      'a.java',
      ['First', 'Second', 'Third'].map((name) => `public final class ${name} {\n${body(name, 20)}\n}`),
    ],
    [
      'a.c',
      ['first', 'second', 'third'].map(
        (name) => `/* ${name} */\nstatic int ${name}(void)\n{\n${body(name, 20)}\n}`,
      ),
    ],
  ])('splits %s between its parts', (name, parts) => {
    expect(chunkText(name, parts.join('\n\n')).map(({ text }) => text)).toEqual(parts);
  });

  it('keeps small definitions together', () => {
    const text = Array.from(
      { length: 10 },
      (_, at) => `export const f${at} = () => {\n  return ${at};\n};`,
    ).join('\n\n');
    expect(chunkText('a.ts', text)).toHaveLength(1);
  });
});
