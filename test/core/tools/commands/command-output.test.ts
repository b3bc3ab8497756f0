import { describe, expect, it } from 'vitest';
import { CommandOutput, formatExit } from '../../../../src/core/tools/commands/command-output.ts';

const outputOf = (parts: ['stdout' | 'stderr', string][], limit = 1000) => {
  const output = new CommandOutput(limit);
  for (const [name, text] of parts) output.push(Buffer.from(text), name);
  return output.finish();
};

describe('CommandOutput', () => {
  it('command output is empty without output', () => {
    expect(outputOf([])).toBe('');
    expect(outputOf([['stdout', '']])).toBe('');
  });

  it('command output keeps the order of lines and names the stream of each part', () => {
    const parts: Parameters<typeof outputOf>[0] = [
      ['stdout', '1\n2\n'],
      ['stderr', '3\n'],
      ['stderr', '4\n'],
      ['stdout', '5\n'],
    ];
    expect(outputOf(parts)).toBe('[stdout]\n1\n2\n[stderr]\n3\n4\n[stdout]\n5\n');
  });

  it('command output does not split a line when the other stream interrupts it', () => {
    const parts: Parameters<typeof outputOf>[0] = [
      ['stdout', 'one li'],
      ['stderr', 'other\nrest'],
      ['stdout', 'ne\nunended'],
    ];
    expect(outputOf(parts)).toBe('[stderr]\nother\n[stdout]\none line\nunended\n[stderr]\nrest');
  });

  it('command output joins characters that arrive in pieces', () => {
    const output = new CommandOutput(1000);
    for (const byte of Buffer.from('ü文👍')) output.push(Buffer.from([byte]), 'stdout');
    expect(output.finish()).toBe('[stdout]\nü文👍');
  });

  it('command output keeps the start and the end when it is long, with or without lines', () => {
    for (const line of ['x', 'x\n']) {
      const text = outputOf(
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
  [{ code: 137, signal: null }, 'Exit code 137 (terminated by SIGKILL)'],
  [{ code: 255, signal: null }, 'Exit code 255'],
  [{ code: null, signal: 'SIGTERM' as const }, 'Terminated by SIGTERM'],
])('formats the exit %j as %s', (exit, text) => {
  expect(formatExit(exit)).toBe(text);
});
