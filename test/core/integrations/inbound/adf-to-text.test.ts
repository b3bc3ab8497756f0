import { describe, expect, it } from 'vitest';
import { adfToText } from '../../../../src/core/integrations/inbound/adf-to-text.ts';
import { hasSharedFixtures, sharedFixture } from '../../../helpers/shared-fixture.ts';

interface Recorded {
  visibleStringsInOrder: (string | { date: string })[];
  doc: unknown;
}

describe.skipIf(!hasSharedFixtures)('a recorded document', () => {
  it.each([
    ['comprehensive-advanced-features', 357],
    ['comprehensive-expand-sections', 202],
    ['comprehensive-marks', 33],
    ['comprehensive-media', 252],
    ['comprehensive-panels', 97],
    ['comprehensive-tables', 49],
    ['edge-cases', 24],
    ['jira-cli-md', 62],
    ['modern-elements', 34],
    ['panel-markdown-parsing', 16],
    ['rich-content-workflow', 34],
    ['simple-document', 6],
    ['team-collaboration', 58],
  ])('keeps all visible text of %s in its order', (name, count) => {
    const recorded = sharedFixture<Recorded>(`adf/${name}.json`);
    const text = adfToText(recorded?.doc);
    const visible = recorded?.visibleStringsInOrder ?? [];
    expect(visible).toHaveLength(count);
    let at = 0;
    for (const part of visible) {
      const wanted = typeof part === 'string' ? part : part.date;
      const found = text.indexOf(wanted, at);
      expect(found, `${JSON.stringify(wanted)} after ${JSON.stringify(text.slice(at, at + 80))}`).not.toBe(
        -1,
      );
      at = found + wanted.length;
    }
  });
});

const doc = (...content: unknown[]) => ({ type: 'doc', version: 1, content });
const paragraph = (...content: unknown[]) => ({ type: 'paragraph', content });
const text = (words: string, ...marks: unknown[]) => ({ type: 'text', text: words, marks });
const item = (...content: unknown[]) => ({ type: 'listItem', content });

it('writes the document as Markdown', () => {
  expect(
    adfToText(
      doc(
        { type: 'heading', attrs: { level: 2 }, content: [text('Title')] },
        paragraph(
          text('run '),
          text('npm test', { type: 'code' }),
          text(' as in '),
          text('the guide', { type: 'link', attrs: { href: 'https://example.com/a' } }),
          { type: 'hardBreak' },
          text('or not'),
        ),
        {
          type: 'bulletList',
          content: [
            item(paragraph(text('one')), {
              type: 'orderedList',
              attrs: { order: 3 },
              content: [item(paragraph(text('three'))), item(paragraph(text('four')))],
            }),
            item(paragraph(text('two'))),
          ],
        },
        { type: 'codeBlock', attrs: { language: 'js' }, content: [text('a();\nb();')] },
        { type: 'blockquote', content: [paragraph(text('said')), paragraph(text('so'))] },
        {
          type: 'taskList',
          content: [{ type: 'taskItem', attrs: { state: 'DONE' }, content: [text('done')] }],
        },
        {
          type: 'table',
          content: [
            {
              type: 'tableRow',
              content: [
                { type: 'tableHeader', content: [paragraph(text('a'))] },
                { type: 'tableCell', content: [paragraph(text('b'))] },
              ],
            },
          ],
        },
      ),
    ),
  ).toBe(
    [
      '## Title',
      'run `npm test` as in [the guide](https://example.com/a)\nor not',
      '- one\n  3. three\n  4. four\n- two',
      '```js\na();\nb();\n```',
      '> said\n> \n> so',
      '- [x] done',
      'a | b',
    ].join('\n\n'),
  );
});

it('formats mentions with the given function', () => {
  const document = doc(paragraph({ type: 'mention', attrs: { id: '5c', text: '@Ann' } }, text(' hi')));
  expect(adfToText(document)).toBe('@Ann hi');
  expect(adfToText(document, ({ id, text: shown }) => `<${id} ${shown}>`)).toBe('<5c @Ann> hi');
});

it.each([
  [null],
  [undefined],
  [5],
  ['text'],
  [[]],
  [{}],
  [{ type: 5 }],
  [{ type: 'doc' }],
  [{ type: 'doc', content: {} }],
  [doc(null, 1, 'a', {}, { type: null })],
  [doc({ type: 'date', attrs: { timestamp: {} } }, { type: 'mention', attrs: null }, { type: 'emoji' })],
  [doc({ type: 'heading', attrs: { level: 'x' } }).content[0]],
])('returns no text for %j', (document) => expect(adfToText(document).trim()).toBe(''));

it('stops at a document that is nested too deeply', () => {
  let node: unknown = text('deep');
  for (let depth = 0; depth < 100_000; depth++) node = { type: 'panel', content: [node] };
  expect(adfToText(doc(paragraph(text('top')), node))).toBe('top');
});
