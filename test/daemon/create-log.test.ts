import { expect, it } from 'vitest';
import type { LogTrace } from '../../src/core/log.ts';
import { createLog } from '../../src/daemon/create-log.ts';

it('a line of JSON has the ids of the active span, where there is one, and no secrets', async () => {
  const lines: string[] = [];
  const trace: LogTrace = {};
  const stdout = { isTTY: false, write: (line: string) => lines.push(line) > 0 };
  const log = await createLog({ get: () => 'info' as never }, trace, stdout);
  log.info({}, 'before');
  trace.read = () => ({ trace_id: 'a'.repeat(32), span_id: 'b'.repeat(16) });
  log.warn({ token: 'planted' }, 'within');
  const [before, within] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(before).toMatchObject({ msg: 'before' });
  expect(before).not.toHaveProperty('trace_id');
  expect(within).toMatchObject({ msg: 'within', trace_id: 'a'.repeat(32), span_id: 'b'.repeat(16) });
  expect(lines.join()).not.toContain('planted');
});
