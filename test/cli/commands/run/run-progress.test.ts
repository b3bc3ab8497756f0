import { PassThrough } from 'node:stream';
import { afterEach, expect, it, vi } from 'vitest';
import { spinnerProgress } from '../../../../src/cli/commands/run/run-progress.ts';
import { Output } from '../../../../src/cli/output/output.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

it('counts down to the next try while a task waits for its provider', async () => {
  // A spinner does not turn where the variable CI is set.
  vi.stubEnv('CI', undefined);
  vi.useFakeTimers({ now: Date.parse('2026-03-02T10:00:00.000Z') });
  const stream = Object.assign(new PassThrough(), {
    isTTY: true,
    columns: 100,
    cursorTo: () => true,
    clearLine: () => true,
    moveCursor: () => true,
  });
  const output = new Output(
    { stdout: new PassThrough() as never, stderr: stream as unknown as NodeJS.WriteStream },
    { TERM: 'xterm' },
  );
  const progress = await spinnerProgress(output);
  const written = () => String(stream.read() ?? '');
  progress.event({
    seq: 1,
    id: 'evt_1',
    type: 'retry_scheduled',
    at: new Date().toISOString(),
    message: 'Overloaded',
    data: { delayMs: 180_000, at: '2026-03-02T10:03:00.000Z', outageSince: 'x', waitsFor: 'outage' },
  });
  expect(written()).toMatch(/ waiting for the provider: next try at \d\d:03, in 3 min 0 s: Overloaded/);
  vi.advanceTimersByTime(3100);
  expect(written().includes('in 2 min 57 s: Overloaded')).toBe(true);
  progress.end('done');
  expect(vi.getTimerCount()).toBe(0);
});
