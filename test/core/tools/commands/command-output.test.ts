import { describe, expect, it } from 'vitest';
import { CommandOutput, sayExit } from '../../../../src/core/tools/commands/command-output.ts';

const said = (parts: ['stdout' | 'stderr', string][], limit = 1000) => {
  const output = new CommandOutput(limit);
  for (const [name, text] of parts) output.push(Buffer.from(text), name);
  return output.finish();
};

describe('the output of a command', () => {
  it('is nothing where nothing was said', () => {
    expect(said([])).toBe('');
    expect(said([['stdout', '']])).toBe('');
  });

  it('keeps the order of the lines, each part under its name', () => {
    const parts: Parameters<typeof said>[0] = [
      ['stdout', '1\n2\n'],
      ['stderr', '3\n'],
      ['stderr', '4\n'],
      ['stdout', '5\n'],
    ];
    expect(said(parts)).toBe('[stdout]\n1\n2\n[stderr]\n3\n4\n[stdout]\n5\n');
  });

  it('does not cut a line where the other output comes in between', () => {
    const parts: Parameters<typeof said>[0] = [
      ['stdout', 'one li'],
      ['stderr', 'other\nrest'],
      ['stdout', 'ne\nunended'],
    ];
    expect(said(parts)).toBe('[stderr]\nother\n[stdout]\none line\nunended\n[stderr]\nrest');
  });

  it('keeps characters whole that come in two pieces', () => {
    const output = new CommandOutput(1000);
    for (const byte of Buffer.from('ü文👍')) output.push(Buffer.from([byte]), 'stdout');
    expect(output.finish()).toBe('[stdout]\nü文👍');
  });

  it('keeps the start and the end of what is too much, also without lines', () => {
    for (const line of ['x', 'x\n']) {
      const text = said(
        [
          ['stdout', line.repeat(50_000)],
          ['stderr', '\nthe end'],
        ],
        1000,
      );
      expect(text).toMatch(/^\[stdout\]\nx[^]*\n\[… \d+ bytes left out …\]\n[^]*\nthe end$/);
      expect(text.length).toBeLessThan(1100);
    }
  });
});

it.each([
  [{ code: 0, signal: null }, 'Exit code 0'],
  [{ code: 127, signal: null }, 'Exit code 127'],
  [{ code: 137, signal: null }, 'Exit code 137 (ended by SIGKILL)'],
  [{ code: 255, signal: null }, 'Exit code 255'],
  [{ code: null, signal: 'SIGTERM' as const }, 'Ended by SIGTERM'],
])('the exit %j is said as %s', (exit, words) => {
  expect(sayExit(exit)).toBe(words);
});
