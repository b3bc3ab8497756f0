import { expect, it, vi } from 'vitest';
import { BackgroundWork } from '../../../src/core/async/background-work.ts';
import { AppError } from '../../../src/core/errors.ts';
import { silentLog } from '../../../src/core/log.ts';

function open() {
  const error = vi.fn();
  return { work: new BackgroundWork({ ...silentLog, error }), error };
}

it('stops when what it began is done, and begins nothing after that', async () => {
  const { work } = open();
  const first = Promise.withResolvers<void>();
  let isStopped = false;
  work.run(() => first.promise);
  const stopped = work.stop().then(() => (isStopped = true));
  await new Promise(setImmediate);
  expect(isStopped).toBe(false);
  const late = vi.fn(async () => undefined);
  work.run(late);
  first.resolve();
  await stopped;
  expect(late).not.toHaveBeenCalled();
});

it('logs unexpected errors only: the rest is retried', async () => {
  const { work, error } = open();
  work.run(() => Promise.reject(new AppError('unavailable', 'The database is away')));
  work.run(() => Promise.reject(new TypeError('x is undefined')));
  await work.stop();
  expect(error.mock.calls).toEqual([[{ err: new TypeError('x is undefined') }, 'this is a bug in svc']]);
});
