import { describe, expect, it } from 'vitest';
import { renderOutput } from '../../../../src/cli/tui/parts/render-output.ts';
import { lineText } from '../../../../src/cli/tui/parts/line.ts';

const shown = (text: string, width = 20) =>
  renderOutput({ kind: 'output', key: '0', stream: 'stdout', text }, width).map(lineText);

describe('the output of a program', () => {
  it('strips colours and overwritten text from output, and escapes control sequences', () => {
    expect(shown('\u001b[31mred\u001b[0m\r\n10 %\r100 %\r\n\tend\u0007\u202e\n')).toEqual([
      'red',
      '100 %',
      String.raw`    end\x07\u{202e}`,
    ]);
  });

  it('wraps long lines of output and keeps blank ones', () => {
    expect(shown('a\n\n  bcdefgh', 6)).toEqual(['a', '', '  bcde', 'fgh']);
  });

  it('shows the end of very long output', () => {
    const rows = shown(Array.from({ length: 50_000 }, (_, n) => `line ${n}`).join('\n'));
    expect(rows[0]).toMatch(/^… earlier output/);
    expect(rows.at(-1)).toBe('line 49999');
    expect(rows.length).toBeLessThan(30_000);
  });
});
