import { describe, expect, it } from 'vitest';
import type { Chunk } from '../../../../src/contract/memory.ts';
import { markLine } from '../../../../src/cli/commands/memory/best-lines.ts';
import { bestLines } from '../../../../src/contract/lines-of-chunk.ts';
import { queryWords } from '../../../../src/contract/find-words.ts';

const chunk = (text: string, startLine = 10): Chunk => ({
  id: 'chunk_1',
  path: '/notes/a.md',
  startLine,
  endLine: startLine + text.split('\n').length - 1,
  text,
});
const numbers = (text: string, query: string) =>
  bestLines(chunk(text), queryWords(query)).map(({ number }) => number);
const marked = (text: string, query: string, width = 80) =>
  markLine(text, queryWords(query), { width, mark: (word) => `<${word}>` });

describe('the best lines of a chunk', () => {
  it('picks the lines with most words of the query, in their order', () => {
    expect(numbers('retry\nx\nbackoff\nx\nretry with backoff\nretry', 'retry backoff')).toEqual([10, 12, 14]);
  });

  it('adds lines after the best line first, then lines before it', () => {
    expect(numbers('one\ntwo\nthe word\nfour\nfive\nsix', 'word')).toEqual([12, 13, 14]);
    expect(numbers('one\ntwo\nthree\nthe word', 'word')).toEqual([10, 11, 13]);
  });

  it('picks the first lines that are not blank when no word matches', () => {
    expect(numbers('\none\n\ntwo\nthree\nfour', 'absent')).toEqual([11, 13, 14]);
  });

  it('numbers lines correctly in a chunk that starts within a line', () => {
    expect(bestLines({ ...chunk('a long line', 7), endLine: 7 }, ['long'])).toEqual([
      { number: 7, text: 'a long line' },
    ]);
  });
});

describe('the words of a query', () => {
  it('marks query words in their other forms, without case and accents', () => {
    expect(marked('We deployed it; deployment of the Café.', 'deploy cafe')).toBe(
      'We <deployed> it; <deployment> of the <Café>.',
    );
    expect(marked('retries, retrying; retrieve', 'retry')).toBe('<retries>, <retrying>; retrieve');
    expect(marked('retry, running, rotation, boxes', 'retried runs rotate box')).toBe(
      '<retry>, <running>, <rotation>, <boxes>',
    );
    expect(marked('need, rest, class', 'red rested classes')).toBe('need, <rest>, <class>');
  });

  it('marks stop words only when the query has no other words', () => {
    expect(marked('how do we go to the coast', 'how do we deploy to the coast')).toBe(
      'how do we go to the <coast>',
    );
    expect(marked('to be or not', 'to be')).toBe('<to> <be> or not');
  });

  it('marks query words within names in code', () => {
    expect(marked('deployAll(HTTPDeploy, redeploy)', 'deploy')).toBe('<deploy>All(HTTP<Deploy>, redeploy)');
    expect(marked('readFile, fileReader', 'readFile')).toBe('<readFile>, <file>Reader');
  });

  it('marks query words within text without spaces', () => {
    expect(marked('東京に行きました', '東京')).toBe('<東京に行きました>');
  });
});

describe('a line that is too long', () => {
  it('a line that is too long is shown around its first matching word', () => {
    const shown = marked(`${'a '.repeat(200)}needle ${'b '.repeat(200)}`, 'needle', 40);
    expect(shown).toMatch(/^… ?(a )+<needle> (b )+b?…$/);
    expect(shown.replaceAll(/[<>]/g, '').length).toBeLessThanOrEqual(40);
  });

  it('a search result cannot inject terminal control sequences', () => {
    expect(marked('red \u001b[31m\tneedle\r', 'needle')).toBe(String.raw`red \x1b[31m  <needle>\r`);
  });
});
