import { expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';

const flags = { 'server.trustedProxies': ['127.0.0.1'], 'system.registrationMode': 'open' as const };
const ann = { email: 'ann@example.org', password: 'correct horse 1', name: 'Ann' };
const HOME = '198.51.100.7';

async function send(daemon: TestDaemon, path: string, body: unknown, from?: string, cookie = '') {
  const response = await fetch(`${daemon.url}/api/auth/${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(from !== undefined && { 'x-forwarded-for': from }),
      ...(cookie !== '' && { cookie }),
    },
    body: JSON.stringify(body),
  });
  const { status, headers } = response;
  await response.arrayBuffer();
  return {
    status,
    retryAfter: headers.get('retry-after'),
    cookie: headers.getSetCookie()[0]?.split(';')[0] ?? '',
  };
}
const signIn = (daemon: TestDaemon, email: string, password: string, from: string, cookie?: string) =>
  send(daemon, 'login', { email, password }, from, cookie);

/** The first account is made on this machine; its user signs in from their home once. */
async function join(daemon: TestDaemon) {
  expect((await send(daemon, 'signup', ann)).status).toBe(200);
  return signIn(daemon, ann.email, ann.password, HOME);
}

/** Wrong sign-ins of as many accounts from as many addresses; counts those that were answered as wrong. */
function attack(daemon: TestDaemon, count: number) {
  const counts = { wrong: 0 };
  const done = Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const answer = await signIn(daemon, `nobody${at}@example.org`, 'wrong 1', `203.0.113.${at}`);
      if (answer.status === 401) counts.wrong++;
      return answer;
    }),
  );
  return { counts, done };
}

it.each([
  ['an address of an earlier sign-in', HOME, false],
  ['a session, from anywhere', '198.51.100.99', true],
])('a right sign-in with %s does not wait behind 120 wrong ones', async (_, from, withSession) => {
  await using daemon = await startDaemon({ flags });
  const { cookie } = await join(daemon);
  const { counts, done } = attack(daemon, 120);
  const right = await signIn(daemon, ann.email, ann.password, from, withSession ? cookie : '');
  const before = counts.wrong;
  expect(right.status).toBe(200);
  const answers = await done;
  expect(before).toBeLessThan(60);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 503]));
  for (const { status, retryAfter } of answers)
    if (status === 503) expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);
});

it('a daemon that starts again knows the addresses of the sessions', async () => {
  const first = await startDaemon({ flags });
  await join(first);
  await first.stop();
  await using daemon = await startDaemon({ flags, home: first.home });
  const { knownClients } = daemon.app;
  expect([HOME, `::ffff:${HOME}`, '203.0.113.1'].map((at) => knownClients.isKnown(at))).toEqual([
    true,
    true,
    false,
  ]);
  expect(knownClients.isKnown(HOME, 'user_owner')).toBe(false);
});

it('unknown clients that use up the sign-ins of an account do not lock out its user', async () => {
  await using daemon = await startDaemon({ flags });
  await join(daemon);
  for (let at = 0; at < 9; at++)
    expect((await signIn(daemon, ann.email, 'wrong 1', `203.0.113.${at}`)).status).toBe(401);
  expect((await signIn(daemon, ann.email, ann.password, '203.0.113.99')).status).toBe(429);
  expect((await signIn(daemon, ann.email, ann.password, HOME)).status).toBe(200);
});
