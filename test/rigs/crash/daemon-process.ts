import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { type Client, createClient } from '../../../src/contract/client.ts';
import { contract } from '../../../src/contract/index.ts';
import { sessionCookie } from '../../../src/contract/locations.ts';
import type { Flags } from '../../../src/core/config/config.ts';
import { killedAt, type KillOrder } from './kill-points.ts';
import { compileCache } from '../../helpers/compile-cache.ts';

const script = fileURLToPath(new URL('daemon.ts', import.meta.url));

export interface RigDaemon {
  pid: number;
  url: string;
  /** Of the owner's session. */
  headers: { cookie: string };
  client: Client;
  /** Milliseconds from the start of the process to its ready line. */
  readyMs: number;
  /** What the daemon itself called a bug. */
  bugs: string[];
  isAlive(): boolean;
  arm(order: KillOrder): void;
  /** Sends the signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<void>;
  /** Resolves when the process has ended, however. */
  ended: Promise<void>;
  /** The point at which it died; undefined while it lives, and when it was killed from outside. */
  diedAt(): string | undefined;
}

export interface DaemonOptions {
  home: string;
  fault?: string | undefined;
  /** Where it dies while it starts. */
  kill?: KillOrder | undefined;
  flags: Flags;
  /** More for its environment. */
  env?: Record<string, string>;
}

/** Starts the rig's daemon; undefined when it died before it was ready, as ordered. */
export async function startRigDaemon({
  home,
  fault,
  kill,
  flags,
  env = {},
}: DaemonOptions): Promise<RigDaemon | undefined> {
  const started = performance.now();
  const child = fork(script, {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: {
      ...env,
      PATH: process.env['PATH'],
      HOME: home,
      SVC_HOME: join(home, 'data'),
      RIG_FLAGS: JSON.stringify(flags),
      ...compileCache,
      ...(fault && { RIG_FAULT: fault }),
      ...(kill && { RIG_KILL: JSON.stringify(kill) }),
    },
  });
  const complaints: Buffer[] = [];
  child.stderr?.on('data', (chunk: Buffer) => complaints.push(chunk));
  const ended = once(child, 'close').then(() => undefined);
  const bugs: string[] = [];
  const url = await new Promise<string | undefined>((resolve) => {
    child.on('message', (message: { url?: string; bug?: string }) => {
      if (message.bug !== undefined) bugs.push(message.bug);
      if (message.url !== undefined) resolve(message.url);
    });
    void ended.then(() => resolve(undefined));
  });
  if (url === undefined) {
    if (child.signalCode === 'SIGKILL') return undefined;
    throw new Error(`the daemon did not start: ${Buffer.concat(complaints).toString('utf8')}`);
  }
  const headers = {
    cookie: `${sessionCookie}=${readFileSync(join(home, 'data', 'owner-session'), 'utf8')}`,
  };
  const isAlive = () => child.exitCode === null && child.signalCode === null;
  return {
    pid: child.pid ?? 0,
    url,
    headers,
    client: createClient(contract, { baseUrl: url, fetch: (to, init) => fetch(to, init), headers }),
    readyMs: performance.now() - started,
    bugs,
    isAlive,
    ended,
    diedAt: () => {
      const last = Buffer.concat(complaints).toString('utf8').trim().split('\n').at(-1) ?? '';
      return last.startsWith(killedAt) ? last.slice(killedAt.length) : undefined;
    },
    arm: (order) => send(child, order),
    end: async (signal) => {
      if (isAlive()) child.kill(signal);
      await ended;
    },
  };
}

function send(child: ChildProcess, order: KillOrder): void {
  if (child.connected) child.send(order, () => undefined);
}
