import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../../bench/free-port.ts';
import type { Client } from '../../../src/contract/client.ts';
import type { Migration } from '../../../src/core/storage/migration.ts';
import { migratePostgres, postgresMigrations } from '../../../src/core/storage/postgres/migrate-postgres.ts';
import { root } from '../../cli/svc-binary.ts';
import { startGuideBalancer } from '../../helpers/guide-balancer.ts';
import { Random } from '../crash/random.ts';
import { checkCluster, type ClusterFindings } from './check-cluster.ts';
import type { ClusterDaemon } from './cluster-daemon.ts';
import { ClusterWorld } from './cluster-world.ts';
import { ClientLedger, noteAndSleep, subscribe } from './load.ts';
import { untilFinished } from './rig.ts';

export interface UpgradeReport extends ClusterFindings {
  /** Requests that were sent to the balancer. */
  requests: number;
  /** Those that were not answered, or with 5xx. */
  failures: string[];
  /** The versions of the daemons in the end. */
  versions: string[];
}

const CLIENTS = 4;

/**
 * Upgrades the daemons one after another, as the guide says, while clients send requests to the balancer of the guide, each
 * of them once.
 */
export async function upgradeCluster(count: number, say: (line: string) => void): Promise<UpgradeReport> {
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const random = new Random(1);
  await using world = await ClusterWorld.start(count, random, {
    SVC_BASE_URL: baseUrl,
    SVC_SERVER_TRUSTED_PROXIES: '127.0.0.1',
  });
  using next = makeNext('0.2.0');
  const urls = world.daemons.map(({ url }) => url);
  await using _ = await startGuideBalancer(port, urls);
  const [first] = world.daemons;
  if (!first) throw new Error('There is nothing to upgrade');
  const client = first.client({ baseUrl, timeoutMs: 20_000 });
  const stop = new AbortController();
  const report = { requests: 0, failures: [] as string[] };
  const ledger = new ClientLedger();
  await subscribe(world);
  const load = Array.from({ length: CLIENTS }, (_client, at) =>
    sendRequests(client, { at, world, ledger, report, signal: stop.signal }),
  );
  await expand(world);
  for (const daemon of world.daemons) {
    await replace(client, daemon, next.program);
    say(`${daemon.url} is upgraded; ${report.requests} requests, ${report.failures.length} failed`);
  }
  stop.abort();
  await Promise.all(load);
  const { daemons } = await client.cluster.get();
  await untilFinished(world);
  return {
    ...report,
    ...(await checkCluster(world, ledger)),
    versions: daemons.map(({ version }) => version),
  };
}

/** The same program with a later version. */
function makeNext(version: string) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-next-'));
  for (const name of ['bin', 'dist']) cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const about = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as object;
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...about, version }));
  return {
    program: join(folder, 'bin/svc.js'),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const later: Migration = async (db) => {
  for (const table of ['tasks', 'task_events', 'daemons'])
    await db.schema
      .alterTable(table)
      .addColumn('later', 'text', (column) => column.notNull().defaultTo(''))
      .execute();
};

/** What the first newer daemon does to the tables. */
async function expand(world: ClusterWorld): Promise<void> {
  await using client = await world.connect();
  const migrations = { ...postgresMigrations, '9999-later': { up: later, contracts: false } };
  await migratePostgres(client, { migrations });
}

async function replace(client: Client, daemon: ClusterDaemon, program: string): Promise<void> {
  const { answeredBy: id } = await daemon.client().cluster.get();
  await client.cluster.drain({ params: { id }, body: { stop: true } });
  await daemon.ended();
  daemon.program = program;
  if (!(await daemon.start()))
    throw new Error(`The newer daemon does not start: ${daemon.errors.join('\n')}`);
  while ((await fetch(`${daemon.url}/api/health/ready`)).status !== 200) await delay(50);
}

interface Load {
  at: number;
  world: ClusterWorld;
  ledger: ClientLedger;
  report: Pick<UpgradeReport, 'requests' | 'failures'>;
  signal: AbortSignal;
}

/** One request after the other, without a second try of any. */
async function sendRequests({ tasks }: Client, { at, world, ledger, report, signal }: Load): Promise<void> {
  const send = async (name: string, request: () => Promise<unknown>) => {
    report.requests++;
    await request().catch((error: unknown) => report.failures.push(`${name}: ${String(error)}`));
  };
  for (let n = 0; !signal.aborted; n++) {
    const key = `${at}-${n}`;
    const prompt = noteAndSleep(world);
    await send('create', async () => {
      const body = { title: `Task ${key}`, assignedAgent: 'command', prompt };
      const { task } = await tasks.create({ body, headers: { 'idempotency-key': key } });
      ledger.acknowledged.set(key, task.id);
    });
    const id = ledger.acknowledged.get(key);
    if (id !== undefined) await send('get', () => tasks.get({ params: { id } }));
    await send('list', () => tasks.filter({ query: { limit: '5' } }));
    await delay(50);
  }
}
