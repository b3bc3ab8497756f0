import { expect, it } from 'vitest';
import type { Log } from '../../src/core/log.ts';
import { startDaemon } from '../helpers/daemon.ts';
import { addUser } from '../helpers/users.ts';

it('sign-ins that wait while the daemon stops are refused, and those under way are stored', async () => {
  const errors: object[] = [];
  const none = () => undefined;
  const note = (fields: object, message: string) => void errors.push({ ...fields, message });
  const log: Log = { debug: none, info: none, warn: note, error: note };
  await using daemon = await startDaemon({ log });
  const { app } = daemon;
  // What it says of its database at the start is another matter.
  errors.length = 0;
  await app.accessKey.set('the-access-key-of-the-owner');
  await addUser(daemon, 'ann');
  const client = { address: '127.0.0.1', isKnown: true };
  const verifications = Array.from({ length: 12 }, () =>
    app.accessKey.verify('the-access-key-of-the-owner', client),
  );
  const signIns = Promise.allSettled([
    ...verifications,
    ...Array.from({ length: 12 }, () => app.accounts.signIn('ann@example.org', 'wrong password 1', client)),
  ]);
  await Promise.race(verifications);
  await daemon.stop();
  const codes = (await signIns).map((each) =>
    each.status === 'fulfilled' ? 'signed in' : (each.reason as { code?: string; message: string }).code,
  );
  // Two at a time: with the first one another had begun before the daemon stopped.
  expect(codes.filter((code) => code === 'signed in').length).toBeGreaterThanOrEqual(2);
  // How many of the others still had a turn depends on how long the rest took to stop.
  const expected = ['signed in', 'unauthenticated', 'unavailable'];
  expect(codes.filter((code) => code === undefined || !expected.includes(code))).toEqual([]);
  expect(errors).toEqual([]);
  await expect(app.accessKey.verify('the-access-key-of-the-owner')).rejects.toMatchObject({
    code: 'unavailable',
  });
});
