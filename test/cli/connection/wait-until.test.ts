import { expect, it } from 'vitest';
import { type WaitOptions, waitUntil } from '../../../src/cli/connection/wait-until.ts';
import { ApiError } from '../../../src/contract/client.ts';

const wait = (ask: WaitOptions<string>['ask'], changes: Partial<WaitOptions<string>> = {}) =>
  waitUntil({
    ask,
    everyMs: 1,
    timeoutMs: 60_000,
    gaveUp: 'Gave up.',
    tooLate: { message: 'Too late.', next: 'again' },
    ...changes,
  });

it('waitUntil retries until there is an answer, even when the daemon is unreachable for a while', async () => {
  const answers = [undefined, new ApiError(503, {}), undefined, 'here'];
  const ask = async () => {
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer;
  };
  expect(await wait(ask)).toBe('here');
  expect(answers).toEqual([]);
});

it.each([401, 500])('waitUntil stops at a permanent error: %i', async (status) => {
  await expect(wait(() => Promise.reject(new ApiError(status, {})))).rejects.toMatchObject({ status });
});

it('waitUntil times out, even during a request, and leaves no listener', async () => {
  const before = process.listenerCount('SIGINT');
  const ask = (signal: AbortSignal) =>
    new Promise<undefined>((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason as Error)),
    );
  await expect(wait(ask, { timeoutMs: 1 })).rejects.toMatchObject({ message: 'Too late.', exitCode: 8 });
  const waiting = wait(async () => undefined, { everyMs: 60_000 });
  process.emit('SIGTERM');
  await expect(waiting).rejects.toMatchObject({ message: 'Gave up.', exitCode: 143 });
  expect(process.listenerCount('SIGINT')).toBe(before);
});
