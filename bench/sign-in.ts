import { argon2, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { locate } from '../src/contract/locations.ts';
import { createApp } from '../src/core/app.ts';
import { Config } from '../src/core/config/config.ts';
import { silentLog } from '../src/core/log.ts';
import { type Figure, median } from './report.ts';

const TRIES = 500;
/** How long a hash takes depends on its salt, so one user would say nothing of the others. */
const USERS = 50;
const ROUNDS = 40;
const derive = promisify(argon2);

/** Sign-ins beside the bare hash, two at a time as the service does it; and whether time tells known users from others. */
export async function signIn(): Promise<Figure[]> {
  const home = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const locations = locate({ env: { SVC_HOME: home }, platform: process.platform, home });
  const config = new Config({ env: {}, settingsFile: locations.settingsFile });
  const app = await createApp({ config, locations, env: {}, log: silentLog });
  const password = 'correct horse 1';
  await config.set('system.registrationMode', 'open');
  const place = { isTrustedClient: true, client: {} };
  for (let user = 0; user < USERS; user++)
    await app.accounts.signUp({ email: `user${user}@example.org`, password, name: 'User' }, place);
  const attempt = async (email: string, password: string) => {
    const began = performance.now();
    await app.accounts.signIn(email, password, {}).catch(() => undefined);
    return performance.now() - began;
  };
  const right = () => attempt('user0@example.org', password);
  const bare = async () => {
    const nonce = randomBytes(16);
    await derive('argon2id', {
      message: password,
      nonce,
      memory: 19_456,
      passes: 2,
      parallelism: 1,
      tagLength: 32,
    });
  };
  const rates = { ours: [] as number[], theirs: [] as number[] };
  for (let round = 0; round < 6; round++) {
    const [ours, theirs] = [await rateOf(right), await rateOf(bare)];
    if (round > 0) {
      rates.ours.push(ours);
      rates.theirs.push(theirs);
    }
  }
  const times = { known: [] as number[], unknown: [] as number[] };
  for (let at = 0; at < TRIES; at++) {
    // Whoever comes second finds the caches warm, so they take turns.
    for (const who of at % 2 === 0 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const))
      times[who].push(
        await attempt(
          `${who === 'known' ? `user${at % USERS}` : `nobody${at}`}@example.org`,
          'wrong password 1',
        ),
      );
  }
  await app.close(0);
  rmSync(home, { recursive: true });
  return [
    {
      name: 'sign-in, two at a time',
      ours: `${median(rates.ours).toFixed(0)}/s`,
      baseline: `bare argon2id ${median(rates.theirs).toFixed(0)}/s`,
      value: median(rates.ours.map((rate, at) => rate / (rates.theirs[at] ?? Number.NaN))),
      bound: { least: 0.8 },
    },
    {
      name: `known and unknown user, ${TRIES} refused sign-ins each: how often the known one took longer`,
      ours: `${median(times.known).toFixed(2)} ms`,
      baseline: `unknown ${median(times.unknown).toFixed(2)} ms`,
      value: Math.abs(shareOfLonger(times.known, times.unknown) - 0.5),
      bound: { most: 0.06 },
      note: 'distance from one half, which says nothing of the user; 0.06 is three standard errors',
    },
  ];
}

/** Calls per second, two at a time. */
async function rateOf(call: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  const worker = async () => {
    for (let round = 0; round < ROUNDS; round++) await call();
  };
  await Promise.all([worker(), worker()]);
  return (2 * ROUNDS * 1000) / (performance.now() - began);
}

/** Of all pairs, the share in which the first took longer (Mann-Whitney). */
function shareOfLonger(first: number[], second: number[]): number {
  let longer = 0;
  for (const a of first) for (const b of second) longer += a > b ? 1 : a === b ? 0.5 : 0;
  return longer / (first.length * second.length);
}
