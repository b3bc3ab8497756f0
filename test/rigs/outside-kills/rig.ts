import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sessionCookie } from '../../../src/contract/locations.ts';
import { Random } from '../crash/random.ts';
import { Rows } from '../crash/rows.ts';
import { poll } from '../poll.ts';
import { Caller } from './caller.ts';
import { type ClientDeps, createTasks, createTokens, useCommandLine, useGateway } from './clients.ts';
import { awaitEnds, collectEvidence, type Evidence } from './evidence.ts';
import { readEvents } from './event-readers.ts';
import { acknowledgedIn, Ledger } from './ledger.ts';
import { agentProcesses, killAgents, ShippedDaemon } from './shipped-daemon.ts';

const CLIENTS = 4;
/** What happens between two kills at most, in answers and events. */
const PROGRESS = 100;
/** A kill does not wait longer for the progress that it comes after. */
const PROGRESS_MS = 2000;
/** Some task runs within this. */
const RUN_MS = 20_000;
/** Everything has to be finished so long after the last start; what a planted fault revived is not waited for. */
const SETTLE_MS = 90_000;
const FAULT_SETTLE_MS = 3000;
/** A child may outlive its run by this much. */
const ORPHAN_MS = 5000;
const scopes = ['gateway:write', 'tasks:read', 'tasks:write', 'agents:command'];

export interface OutsideReport {
  kills: number;
  /** Kills before the ready line. */
  killsAtStart: number;
  evidence: Evidence;
  /** What stays although it should have ended. */
  leftovers: string[];
  slowestStartMs: number;
  settledMs: number;
  totalMs: number;
}

export interface OutsideOptions {
  kills: number;
  seed: number;
  /** Clients that create tasks, and as many that use the gateway. */
  clients?: number;
  /** Puts back the database of the first kill at the second one, as a planted fault. */
  isSetBack?: boolean;
  say?: (line: string) => void;
}

/** Kills the shipped daemon repeatedly under load from outside, and collects what it and its clients then hold. */
export async function runOutsideKills(options: OutsideOptions): Promise<OutsideReport> {
  const started = performance.now();
  const settleMs = options.isSetBack ? FAULT_SETTLE_MS : SETTLE_MS;
  const random = new Random(options.seed);
  await using daemon = await ShippedDaemon.create();
  const ledger = new Ledger();
  await requireReady(daemon.start().ready, daemon);
  const installation = installationOf(daemon);
  const { owner, caller } = await signIn(daemon, ledger);
  const enough = new AbortController();
  const over = new AbortController();
  const firstKill = Promise.withResolvers<void>();
  const clients = startClients(daemon, { owner, caller }, random, {
    count: options.clients ?? CLIENTS,
    firstKill: firstKill.promise,
    enough: enough.signal,
    over: over.signal,
  });
  // What they failed with is thrown where they are awaited.
  clients.catch(() => enough.abort());
  try {
    const killsAtStart = await killRepeatedly(daemon, {
      ...options,
      ledger,
      random,
      installation,
      onKill: firstKill.resolve,
    });
    const settled = performance.now();
    enough.abort();
    const limit = setTimeout(() => over.abort(), settleMs);
    await clients;
    clearTimeout(limit);
    const leftovers = (await awaitEnds(daemon.databaseFile, settleMs)).map(
      ({ id, status }) => `${id} is ${status} and does not finish`,
    );
    const settledMs = performance.now() - settled;
    const [first] = ledger.readers;
    const forgetful =
      first &&
      (await readEvents(caller, first.taskId, { signal: AbortSignal.timeout(settleMs), isForgetful: true }));
    const evidence = await collectEvidence(daemon, caller, ledger, forgetful);
    // Its drain would wait for what a planted fault revived.
    await daemon.end(options.isSetBack ? 'SIGKILL' : 'SIGTERM');
    await poll(() => (agentProcesses(installation).length === 0 ? true : undefined), ORPHAN_MS);
    for (const { pid, mark } of agentProcesses(installation))
      leftovers.push(`process ${pid} of ${mark} still runs`);
    return {
      kills: options.kills,
      killsAtStart,
      evidence,
      leftovers,
      slowestStartMs: daemon.slowestStartMs,
      settledMs,
      totalMs: performance.now() - started,
    };
  } finally {
    enough.abort();
    over.abort();
    firstKill.resolve();
    await Promise.allSettled([clients]);
    await daemon.end('SIGKILL');
    killAgents(installation);
  }
}

interface KillOptions extends OutsideOptions {
  ledger: Ledger;
  random: Random;
  installation: string;
  onKill: () => void;
}

/** Kills the daemon and starts it again, so often; answers how many kills hit it before it was ready. */
async function killRepeatedly(daemon: ShippedDaemon, options: KillOptions): Promise<number> {
  const { kills, isSetBack = false, ledger, random, installation, onKill, say = () => undefined } = options;
  let killsAtStart = 0;
  let ready = Promise.resolve(true);
  for (let kill = 1; kill <= kills; kill++) {
    const isAtStart = !isSetBack && kill > 1 && random.chance(0.2);
    if (isAtStart) await delay(random.between(10, 500));
    else {
      await requireReady(ready, daemon);
      await makeProgress(ledger, random.between(0, PROGRESS));
      // Only what was acknowledged meanwhile can be lost.
      if (isSetBack) await awaitTask(ledger);
      await (kill === 1 || random.chance(0.6) ? awaitRun(ledger) : delay(random.between(0, 100)));
    }
    await daemon.end('SIGKILL');
    ledger.running.clear();
    onKill();
    if (isAtStart && !(await ready)) killsAtStart++;
    if (random.chance(0.5)) killAgents(installation);
    if (isSetBack && kill === 1) daemon.saveDatabase();
    if (isSetBack && kill === 2) daemon.setDatabaseBack();
    // Clients find no daemon for a while.
    if (random.chance(0.5)) await delay(random.between(0, 250));
    ({ ready } = daemon.start());
    if (kill % 10 === 0) say(`${kill} kills, ${acknowledgedIn(ledger).length} acknowledged tasks`);
  }
  await requireReady(ready, daemon);
  return killsAtStart;
}

/** Waits for so much more progress: a slow machine comes as far as a fast one. */
async function makeProgress(ledger: Ledger, more: number): Promise<void> {
  const enough = ledger.progress + more;
  await poll(() => (ledger.progress >= enough ? true : undefined), PROGRESS_MS, 2);
}

/** Waits until one more task is acknowledged. */
async function awaitTask(ledger: Ledger): Promise<void> {
  const before = acknowledgedIn(ledger).length;
  await poll(() => (acknowledgedIn(ledger).length > before ? true : undefined), SETTLE_MS);
}

/** Waits until a task is running that a client reads the events of. */
async function awaitRun({ running }: Ledger): Promise<void> {
  await poll(() => (running.size > 0 ? true : undefined), RUN_MS, 2);
}

async function requireReady(ready: Promise<boolean>, { errors }: ShippedDaemon): Promise<void> {
  if (!(await ready)) throw new Error(`the daemon did not start again: ${errors.join('\n')}`);
}

/** A client with the session of the daemon's owner, and one with an API token, which all others use. */
async function signIn({ url, home }: ShippedDaemon, ledger: Ledger) {
  const session = () => readFileSync(join(home.folder, 'owner-session'), 'utf8');
  const owner = new Caller(url, ledger, () => ({ cookie: `${sessionCookie}=${session()}` }));
  const body = { name: 'rig', scopes };
  const answer = await owner.ask({ method: 'POST', path: '/api/tokens', body, expects: [201] });
  if (!answer) throw new Error(`no token: ${ledger.oddAnswers.join()}`);
  const { id, token } = answer.body as { id: string; token: string };
  ledger.tokens.add(id);
  return { owner, caller: new Caller(url, ledger, () => ({ authorization: `Bearer ${token}` })) };
}

async function startClients(
  daemon: ShippedDaemon,
  { owner, caller }: Record<'owner' | 'caller', Caller>,
  random: Random,
  { count, ...moments }: { count: number } & Pick<ClientDeps, 'firstKill' | 'enough' | 'over'>,
): Promise<void> {
  const { ledger } = caller;
  const client = (name: string) => ({
    name,
    random: new Random(random.between(0, 2 ** 31)),
    ledger,
    caller,
    ...moments,
  });
  await Promise.all([
    ...Array.from({ length: count }, (_, n) => createTasks(client(`api-${n}`))),
    ...Array.from({ length: count }, (_, n) => useGateway(client(`gateway-${n}`))),
    useCommandLine(client('cli'), daemon),
    createTokens({ ...client('token'), caller: owner }),
  ]);
}

function installationOf({ databaseFile }: ShippedDaemon): string {
  const rows = new Rows(databaseFile);
  try {
    return rows.installation();
  } finally {
    rows.close();
  }
}
