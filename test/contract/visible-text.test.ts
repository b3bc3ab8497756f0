import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { visibleLine, visibleText } from '../../src/contract/visible-text.ts';
import { sized } from '../helpers/long.ts';

const hidden = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/u;

describe('a text to decide on', () => {
  it.each([
    ['\u034f', String.raw`\u{34f}`],
    ['\u17b4', String.raw`\u{17b4}`],
    ['\ufe0f', String.raw`\u{fe0f}`],
    ['\u{e0100}', String.raw`\u{e0100}`],
    ['\u3164', String.raw`\u{3164}`],
    ['\uffa0', String.raw`\u{ffa0}`],
    ['\u115f', String.raw`\u{115f}`],
    ['\u2800', String.raw`\u{2800}`],
    ['\u00a0', String.raw`\xa0`],
    ['\u3000', String.raw`\u{3000}`],
    ['\u200d', String.raw`\u{200d}`],
    ['\u202e', String.raw`\u{202e}`],
    ['\u2028', String.raw`\u{2028}`],
    ['\u{e000}', String.raw`\u{e000}`],
    ['\ud800', String.raw`\u{d800}`],
    ['\u{e0041}', String.raw`\u{e0041}`],
    ['\x1b', String.raw`\x1b`],
    ['\t', String.raw`\x09`],
    ['\r', String.raw`\x0d`],
  ])('shows %j as %s', (character, expected) => {
    expect(visibleText(`rm a${character}b`)).toBe(`rm a${expected}b`);
  });

  it('shows blanks at the end of a line, and none that are seen', () => {
    expect(visibleText('a  b  \n c ')).toBe(String.raw`a  b\x20\x20` + '\n' + String.raw` c\x20`);
    expect(visibleLine('a\nb')).toBe(String.raw`a\nb`);
  });

  it('leaves what people read as it is', () => {
    const text = String.raw`grep -E '\bnaïve\s+\w' "C:\temp" Ωμέγα 中文 e${'\u0301'} ½ 🚀`;
    expect(visibleText(text)).toBe(text);
  });

  it('hides nothing, and never makes two texts the same', () => {
    const character = fc.oneof(
      fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code)),
      fc.constantFrom('\\', 'u{', 'x41', '\n', ' ', 'n', '\u200b', '}'),
    );
    const text = fc.array(character, { maxLength: 12 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(visibleText(one).replaceAll('\n', '')).not.toMatch(hidden);
        expect(visibleLine(one)).not.toMatch(hidden);
        if (one === other) return;
        expect(visibleText(one)).not.toBe(visibleText(other));
        expect(visibleLine(one)).not.toBe(visibleLine(other));
      }),
      { numRuns: sized(2000, 50_000) },
    );
  });

  it('tells every pair of short texts of escapes apart', () => {
    const parts = ['\\', 'u{200b}', 'x41', 'n', '\n', '\u200b', ' ', 'A'];
    const texts = parts.flatMap((one) =>
      parts.flatMap((two) => parts.flatMap((three) => parts.map((four) => one + two + three + four))),
    );
    const different = new Set(texts).size;
    expect(new Set(texts.map(visibleText)).size).toBe(different);
    expect(new Set(texts.map(visibleLine)).size).toBe(different);
  });

  it('is shown in one pass, whatever it is made of', () => {
    for (const worst of ['\\', ' ', '\u200b', '\\u', ' a', '\n '])
      expect(visibleText(worst.repeat(1_000_000 / worst.length)).length).toBeGreaterThan(1);
  });
});
