import { expect, it } from 'vitest';
import { ansiParts, plainLine } from '../../../src/web/components/ansi.ts';
import { LogSearch } from '../../../src/web/components/log-search.ts';
import { OutputLines } from '../../../src/web/live/output-lines.ts';

const add = (output: OutputLines, message: string, stream = 'stdout', step?: number) =>
  output.add({ message, data: { stream, ...(step !== undefined && { step }) } });
const shown = ({ rows }: OutputLines) =>
  rows.map(({ number, text, stream }) => `${number} ${stream} ${text}`);

it('joins the pieces of a line, also where the other stream wrote in between', () => {
  const output = new OutputLines();
  add(output, 'one\ntw');
  add(output, 'problem\n', 'stderr');
  add(output, 'o\n\nfour');
  expect(shown(output)).toEqual([
    '1 stdout one',
    '2 stdout two',
    '3 stderr problem',
    '4 stdout ',
    '5 stdout four',
  ]);
  expect([output.hasStdout, output.hasStderr]).toEqual([true, true]);
});

it('begins a new line with each step of a model', () => {
  const output = new OutputLines();
  add(output, 'I look', 'text', 1);
  add(output, ' at it.', 'text', 1);
  add(output, 'Done.', 'text', 2);
  expect(shown(output)).toEqual(['1 text I look at it.', '2 text Done.']);
});

it('breaks a line that is too long for one row, and keeps its number and every character', () => {
  const output = new OutputLines();
  const long = `${'x'.repeat(3999)}😀${'y'.repeat(1_000_000)}`;
  for (let at = 0; at < long.length; at += 900) add(output, long.slice(at, at + 900));
  add(output, '\nnext\n');
  expect(output.rows.every(({ text }) => text.length <= 4000)).toBe(true);
  const ofFirst = output.rows.filter(({ number }) => number === 1);
  expect(ofFirst.map(({ text }) => text).join('')).toBe(long);
  expect(ofFirst.map(({ isContinued }) => isContinued).indexOf(true)).toBe(1);
  expect(ofFirst.some(({ text }) => /[\ud800-\udbff]$/.test(text))).toBe(false);
  expect(shown(output).at(-1)).toBe('2 stdout next');
});

it('gives up the oldest rows above its limits, and says how many', () => {
  const output = new OutputLines({ rows: 100, characters: 1_000_000 });
  for (let n = 1; n <= 250; n++) add(output, `line ${n}\n`);
  expect(output.rows.length).toBeLessThanOrEqual(100);
  expect(output.rows[0]?.number).toBe(output.dropped + 1);
  expect(output.rows.at(-1)).toMatchObject({ number: 250, text: 'line 250' });
  const small = new OutputLines({ rows: 1000, characters: 1000 });
  for (let n = 1; n <= 100; n++) add(small, `${'z'.repeat(99)}\n`);
  expect(small.rows.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(1000);
  expect(small.dropped + small.rows.length).toBe(100);
});

it('continues a color on the next line, until it is reset', () => {
  const output = new OutputLines();
  add(output, '\u001b[31mred\nstill\u001b[0m\nplain\n');
  const colors = output.rows.map(({ text }) => ansiParts(text).map(({ colors: names }) => names.join(' ')));
  expect(colors).toEqual([['ansi-red'], ['ansi-red'], ['']]);
});

it('names colors, leaves other sequences out, and escapes what nobody would see', () => {
  expect(ansiParts('a\u001b[1;32mb\u001b[0mc')).toEqual([
    { text: 'a', colors: [] },
    { text: 'b', colors: ['ansi-green', 'bold'] },
    { text: 'c', colors: [] },
  ]);
  const text = (line: string) => plainLine(line);
  expect(text('\u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007')).toBe('link');
  expect(text('\u001b]0;title\u001b\\rest\u001b[2K\u001b(B!')).toBe('rest!');
  // What does not end would hide the rest of the line.
  expect(text('\u001b]0;title and more')).toContain('title and more');
  expect(text('10%\r20%\r100%\r')).toBe('100%');
  expect(ansiParts('a\u202eb\u0000')[0]?.text).toBe(String.raw`a\u{202e}b\x00`);
  expect(ansiParts('tab\there  ')[0]?.text).toBe('tab\there  ');
});

it('finds words in output that grows, without looking at old rows again', () => {
  const output = new OutputLines({ rows: 100, characters: 1_000_000 });
  const search = new LogSearch('Needle');
  for (let n = 1; n <= 50; n++) add(output, n % 10 === 0 ? `\u001b[31mnee\u001b[0mdle ${n}\n` : `hay ${n}\n`);
  expect(search.update(output)).toEqual([9, 19, 29, 39, 49]);
  add(output, 'a nee');
  expect(search.update(output)).toHaveLength(5);
  add(output, 'dle\n');
  expect(search.update(output)).toHaveLength(6);
  expect(search.update(output)).toHaveLength(6);
  for (let n = 0; n < 100; n++) add(output, 'hay\n');
  expect(search.update(output).map((row) => output.rows[row]?.text)).toEqual([]);
});
