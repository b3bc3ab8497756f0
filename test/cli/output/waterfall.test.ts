import { expect, it } from 'vitest';
import { formatWaterfall } from '../../../src/cli/output/waterfall.ts';
import { textWidth } from '../../../src/cli/output/text-width.ts';
import type { TraceSpan } from '../../../src/contract/task-trace.ts';

const start = Date.parse('2026-01-01T00:00:00.000Z');
const span = (
  id: string,
  parent: string | undefined,
  kind: TraceSpan['kind'],
  [from, to]: [number, number],
  more: Partial<TraceSpan> = {},
): TraceSpan => ({
  id,
  ...(parent !== undefined && { parent }),
  name: kind,
  kind,
  startedAt: new Date(start + from).toISOString(),
  durationMs: to - from,
  status: 'ok',
  attributes: {},
  ...more,
});

const spans = [
  span('1', undefined, 'task', [0, 10_000]),
  span('2', '1', 'wait', [0, 1000], { name: 'queue' }),
  span('3', '1', 'attempt', [1000, 10_000], {
    attributes: { 'svc.task.attempt': 1, 'gen_ai.agent.name': 'builtin' },
  }),
  span('4', '3', 'step', [1000, 10_000], { name: 'step 1' }),
  span('5', '4', 'model', [1000, 3000], { attributes: { 'gen_ai.request.model': 'gpt' } }),
  span('6', '4', 'tool', [3000, 10_000], {
    status: 'error',
    attributes: { 'gen_ai.tool.name': 'write_file', 'svc.tool.summary': 'write_file \u001b[31mnotes.txt' },
  }),
  span('7', '6', 'approval', [3000, 9000]),
];
const plain = (_: unknown, text: string) => text;

it('prints each span below the one that contains it, with its duration and its bar', () => {
  expect(formatWaterfall(spans, { width: 60, paint: plain })).toMatchInlineSnapshot(`
    "                                  0                    10 s
    task                        10 s  ─────────────────────────
      queue                    1.0 s  ┈┈┈
      attempt 1 · builtin      9.0 s    ───────────────────────
        step 1                 9.0 s    ───────────────────────
          gpt                  2.0 s    ━━━━━━
          write_file \\x1b[3… ✗ 7.0 s         ━━━━━━━━━━━━━━━━━━
            approval           6.0 s         ┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈
    "
  `);
});

it.each([40, 80, 120, 200])('no line is wider than a terminal of %i columns', (width) => {
  const name = { attributes: { 'svc.tool.summary': '読む'.repeat(100) } };
  const long = [...spans, span('8', '4', 'tool', [0, 1], name)];
  const lines = formatWaterfall(long, { width, paint: plain }).trimEnd().split('\n');
  for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(width);
});

it('makes control characters of a call visible', () => {
  expect(formatWaterfall(spans, { width: 120, paint: plain })).not.toContain('\u001b');
});

it('prints a task that took no time', () => {
  expect(formatWaterfall([span('1', undefined, 'task', [0, 0])], { width: 80, paint: plain })).toContain(
    '0 ms',
  );
});
