import { describe, expect, it } from 'vitest';
import { globPattern } from '../../../../src/core/tools/files/glob-pattern.ts';
import { PatternThread } from '../../../../src/core/tools/files/pattern-thread.ts';

const never = new AbortController().signal;
const bytes = (text: string) => new Uint8Array(Buffer.from(text));

describe('PatternThread', () => {
  it('stops a regular expression after the time limit', async () => {
    await using thread = new PatternThread({ line: /^(a+)+$/ }, never, 200);
    const limits = { context: 0, maxMatches: 10 };
    await expect(thread.search([bytes(`${'a'.repeat(40)}b`)], limits)).rejects.toThrow('takes too much time');
  });

  it('stops a glob after the time limit', async () => {
    await using thread = new PatternThread({ path: globPattern('a*a*a*a*a*a*a*a*a*a*a*a*b') }, never, 200);
    await expect(thread.testPaths(['a'.repeat(250)])).rejects.toThrow('takes too much time');
  });

  it('the pattern thread limits the matches over all files', async () => {
    await using thread = new PatternThread({ line: /x/ }, never);
    const found = await thread.search([bytes('x\nx\n'), bytes('x\nx\n')], { context: 0, maxMatches: 3 });
    expect(found.map(({ file, line }) => [file, line])).toEqual([
      [0, 1],
      [0, 2],
      [1, 1],
    ]);
  });

  it('the pattern thread handles several requests in sequence', async () => {
    await using thread = new PatternThread({ path: globPattern('*.ts'), line: /x/ }, never);
    expect(await thread.testPaths(['a.ts', 'b/c.ts', 'd.md'])).toEqual([true, true, false]);
    expect(await thread.testPaths(['a.md'])).toEqual([false]);
  });
});
