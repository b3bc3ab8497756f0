import { describe, expect, it } from 'vitest';
import { renderToolCall } from '../../../../src/cli/tui/parts/render-tool-call.ts';
import { lineText, lineWidth } from '../../../../src/cli/tui/parts/line.ts';
import type { ToolEntry } from '../../../../src/cli/tui/parts/run-entry.ts';

const call = (more: Partial<ToolEntry>): ToolEntry => ({
  kind: 'tool',
  key: '0',
  callId: 'c',
  name: 'read_file',
  arguments: { path: 'src/app.ts' },
  state: 'running',
  ...more,
});
const shown = (more: Partial<ToolEntry>, { width = 60, isUnfolded = false } = {}) =>
  renderToolCall(call(more), width, isUnfolded).map(lineText);

describe('renderToolCall', () => {
  it.each<[Partial<ToolEntry>, string[]]>([
    [{}, ['● read_file  src/app.ts']],
    [{ state: 'asking' }, ['? read_file  src/app.ts  waiting for you']],
    [
      { state: 'ok', result: 'a\nb\n', startedAt: 0, endedAt: 1200 },
      ['✓ read_file  src/app.ts  2 lines · 1.2 s'],
    ],
    [{ state: 'ok', result: '' }, ['✓ read_file  src/app.ts']],
    [{ state: 'failed', result: 'No such file\nmore' }, ['✗ read_file  src/app.ts', '  No such file']],
    [{ state: 'stopped' }, ['– read_file  src/app.ts  stopped']],
    [{ arguments: { a: 1, b: ['x'], c: null, d: '' } }, ['● read_file  a=1  b=["x"]']],
    [{ arguments: null }, ['● read_file']],
    [{ name: 'x\u001b[1m', arguments: 'a\nb\u202e' }, ['● x\\x1b[1m  a\\nb\\u{202e}']],
  ])('shows the tool call %j on a row', (more, rows) => {
    expect(shown(more)).toEqual(rows);
  });

  it('shows a whole tool call when it is expanded', () => {
    expect(
      shown(
        { state: 'ok', arguments: { path: 'a', content: 'x\ny' }, result: 'done\r\n\tso\u0007' },
        { isUnfolded: true },
      ),
    ).toEqual([
      '✓ read_file  2 lines',
      '  │ path: a',
      '  │ content:',
      '  │ x',
      '  │ y',
      `  │ ${'─'.repeat(20)}`,
      '  │ done',
      '  │     so\\x07',
    ]);
  });

  it('truncates an enormous result and says so', () => {
    const rows = shown({ state: 'ok', result: 'x\n'.repeat(700) }, { isUnfolded: true });
    expect(rows).toHaveLength(504);
    expect(rows.at(-1)).toBe('  │ … 200 more lines');
  });

  it.each([20, 40])('a tool call fits into %i columns', (width) => {
    const long = {
      name: '名前'.repeat(20),
      arguments: { path: '漢字 '.repeat(30) },
      state: 'failed' as const,
    };
    for (const isUnfolded of [false, true])
      for (const line of renderToolCall(call({ ...long, result: 'why '.repeat(40) }), width, isUnfolded))
        expect(lineWidth(line), lineText(line)).toBeLessThanOrEqual(width);
  });
});
