import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '../../src/contract/client.ts';
import { contract } from '../../src/contract/index.ts';
import { locate, sessionCookie } from '../../src/contract/locations.ts';
import type { App } from '../../src/core/app.ts';
import { silentLog } from '../../src/core/log.ts';
import { checkResponse } from '../../src/daemon/response-check.ts';
import { startDaemon as start, type StartOptions } from '../../src/daemon/start.ts';
import { memoryFolder } from './memory-folder.ts';
import { placeDatabase } from './place-database.ts';
import { isPro } from './pro.ts';
import { newProEnvironment, placeSeed, type ProEnvironment } from './pro-environment.ts';

export interface TestDaemon extends AsyncDisposable {
  app: App;
  /** Signed in as the owner. */
  client: Client;
  url: string;
  /** The folder that holds everything of the daemon. */
  home: string;
  /** Headers of the owner's session, for requests that the client cannot make. */
  headers: { cookie: string };
  /** Stops the daemon and keeps its folder, so that another can be started on it. */
  stop(drainMs?: number): Promise<void>;
}

export interface TestDaemonOptions extends Omit<StartOptions, 'locations' | 'env' | 'check'> {
  /** The folder of an earlier daemon. */
  home?: string;
  /** The cluster that it joins; in a run for mode pro each daemon without a mode has one of its own. */
  cluster?: ProEnvironment;
  env?: Record<string, string>;
}

/** The clusters of daemons that were stopped, by home: another that is started on it belongs to the same one. */
const clusters = new Map<string, ProEnvironment>();

/** Where the daemon keeps its rows if not in its folder. */
export const clusterOf = (home: string): ProEnvironment | undefined => clusters.get(home);

/** A folder for one test. */
export const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), 'svc-test-'));

/** A whole daemon in this process on a free port; every answer it gives is held against the contract. */
export async function startDaemon({
  home: earlier,
  cluster: joined,
  env = {},
  flags,
  ...options
}: TestDaemonOptions = {}): Promise<TestDaemon> {
  const home = earlier ?? memoryFolder();
  const locations = locate({ env: { SVC_HOME: home }, platform: process.platform, home });
  const isCluster = isPro && flags?.mode === undefined && env['SVC_MODE'] === undefined;
  const known = joined ?? clusters.get(home);
  const cluster = known ?? (isCluster ? await newProEnvironment() : undefined);
  if (cluster && !joined) clusters.set(home, cluster);
  // A home keeps the seed that it has.
  if (cluster && (joined || !known)) placeSeed(locations.identityFile, cluster.seed);
  else if (earlier === undefined) await placeDatabase(locations.databaseFile);
  const daemon = await start({
    locations,
    log: silentLog,
    check: checkResponse,
    env: { PATH: process.env['PATH'], HOME: home, ...cluster?.env, ...env },
    flags: {
      'server.port': 0,
      'queue.retry.backoff': 5,
      // Only a power cut shows the difference, which has a rig of its own; waiting for the disk took half of the time.
      'storage.synchronous': 'NORMAL',
      // Works race within one daemon as those of several do; each reader that starts costs as much as a test.
      ...(cluster && { 'storage.writers': 3, 'storage.readers': 3 }),
      ...flags,
    },
    ...options,
  });
  let isStopped = false;
  // Cloud mode has no owner.
  const session = existsSync(locations.ownerSessionFile)
    ? readFileSync(locations.ownerSessionFile, 'utf8')
    : '';
  const headers = { cookie: `${sessionCookie}=${session}` };
  const stop = async (drainMs = 0) => {
    if (!isStopped) await daemon.close(drainMs);
    isStopped = true;
  };
  return {
    app: daemon.app,
    client: createClient(contract, { baseUrl: daemon.url, fetch: (url, init) => fetch(url, init), headers }),
    url: daemon.url,
    home,
    headers,
    stop,
    async [Symbol.asyncDispose]() {
      await stop();
      await clusters.get(home)?.remove();
      clusters.delete(home);
      rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}
