import module from 'node:module';
import type { FastifyInstance } from 'fastify';
import { type Locations, locate } from '../contract/locations.ts';
import type { ReportStart } from '../contract/start-step.ts';
import { type AgentAdapter } from '../core/agents/agent-adapter.ts';
import { type App, createApp } from '../core/app.ts';
import type { ModelOptions } from '../core/providers/compose-providers.ts';
import { owner } from '../core/auth/owner.ts';
import type { Connections } from './connections/connections.ts';
import { finishRestore } from '../core/backup/restore-journal.ts';
import { Config, type Flags } from '../core/config/config.ts';
import { readEnvironment } from '../core/config/read-environment.ts';
import { AppError, messageOf } from '../core/errors.ts';
import type { Log, LogTrace } from '../core/log.ts';
import { explainUnwritable } from '../core/paths/explain-unwritable.ts';
import { keepOwnFilesPrivate } from '../core/processes/work-umask.ts';
import { type Runtime, systemRuntime } from '../core/runtime.ts';
import { version } from '../core/version.ts';
import { createLog } from './create-log.ts';
import { DaemonFile } from './daemon-file.ts';
import { keepLogSmall } from './log-rotation.ts';
import type { ResponseCheck } from './response-check.ts';
import { beginStopping } from './stopping.ts';
import { buildServer } from './server.ts';

export interface StartOptions {
  flags?: Flags;
  env?: Record<string, string | undefined>;
  locations?: Locations;
  log?: Log;
  check?: ResponseCheck;
  runtime?: Runtime;
  extraAdapters?: AgentAdapter[];
  /** Is called before each step of an upgrade of the database. */
  onStartStep?: ReportStart;
  /** For tests. */
  sessionMs?: number;
  models?: ModelOptions;
}
export interface Daemon {
  app: App;
  server: FastifyInstance;
  locations: Locations;
  url: string;
  /** Stops accepting requests, lets running tasks finish for up to `drainMs`, then closes everything. */
  close(drainMs?: number): Promise<void>;
}

/** What a request behind a balancer may take once its daemon stops. */
const FINISH_MS = 5000;

/** Starts a daemon in this process; resolves once it has resumed its earlier work and accepts requests. */
export async function startDaemon(options: StartOptions = {}): Promise<Daemon> {
  const platform = readEnvironment();
  const env = options.env ?? platform.env;
  const locations = options.locations ?? locate({ ...platform, env });
  const isRestored = await finishRestore(locations);
  const config = new Config({
    env,
    settingsFile: locations.settingsFile,
    ...(options.flags && { flags: options.flags }),
  });
  const logTrace: LogTrace = {};
  const log = options.log ?? (await createLog(config, logTrace));
  if (isRestored) log.info({}, 'a restore that was interrupted is finished');
  for (const warning of config.warnings()) log.warn({}, warning);
  const app = await createApp({
    config,
    locations,
    env,
    log,
    logTrace,
    onStartStep: logSteps(log, options.onStartStep),
    ...(options.runtime && { runtime: options.runtime }),
    ...(options.extraAdapters && { extraAdapters: options.extraAdapters }),
    ...(options.sessionMs !== undefined && { sessionMs: options.sessionMs }),
    ...(options.models && { models: options.models }),
  }).catch((error: unknown) => {
    throw explainUnwritable(error);
  });
  try {
    const server = await buildServer(app, options.check ? { check: options.check } : {});
    const url = await listen(server, config);
    app.ownAddress.port = Number(new URL(url).port || 80);
    await app.start();
    return {
      app,
      server,
      locations,
      url,
      async close(drainMs) {
        app.health.phase = 'stopping';
        beginStopping(server);
        if (app.membership)
          await server.getDecorator<Connections>('connections').finish(server.server, FINISH_MS);
        await Promise.all([server.close(), app.close(drainMs)]);
      },
    };
  } catch (error) {
    await app.close(0);
    throw explainUnwritable(error);
  }
}

/** Runs `svc daemon` until a signal; calls `onReady` once it accepts requests. Resolves with the exit code. */
export async function runDaemon(flags: Flags, onReady: () => void = () => undefined): Promise<number> {
  keepOwnFilesPrivate();
  const locations = locate(readEnvironment());
  const daemonFile = new DaemonFile({ path: locations.daemonFile, ...systemRuntime });
  const daemon = await startDaemon({ flags, locations, onStartStep: daemonFile.starting }).catch(
    async (error: unknown) => {
      await daemonFile.failed();
      throw error;
    },
  );
  const signalled = nextSignal();
  const { app, url } = daemon;
  try {
    await daemonFile.ready(url);
  } catch (error) {
    await daemon.close(0);
    throw explainUnwritable(error);
  }
  const stopRotation = keepLogSmall(
    { path: locations.logFile, descriptor: 1, maxBytes: app.config.get('log.maxMiB') * MIB },
    (error) => app.log.warn({ reason: messageOf(error) }, 'the log could not be rotated'),
  );
  await announce(daemon, url);
  module.flushCompileCache();
  onReady();
  await Promise.race([signalled, app.drain?.stopRequested ?? signalled]);
  app.log.info({}, 'stopping; send the signal again to stop at once');
  const stopped = await Promise.race([
    daemon.close().then(() => true),
    nextSignal(DUPLICATE_SIGNAL_MS).then(() => false),
  ]);
  stopRotation();
  await daemonFile.remove();
  return stopped ? 0 : 130;
}

/** Prints the ready line; on a terminal also the credentials for the first sign-in, which must not be logged. */
async function announce({ app, locations }: Daemon, url: string): Promise<void> {
  const setupCode = app.setupCode.read();
  if (!process.stdout.isTTY) {
    app.log.info({ url, version }, `svc ${version} listens on ${url}`);
    if (setupCode !== undefined)
      app.log.info({ file: locations.setupCodeFile }, 'the first account needs the setup code in this file');
    return;
  }
  process.stdout.write(`svc ${version} listens on ${url}\n`);
  if (setupCode !== undefined)
    process.stdout.write(
      `Setup code for the first account: ${setupCode}\nUse it:\n  svc auth signup --invite ${setupCode}\n`,
    );
  if (app.config.get('system.authMode') === 'cloud' || app.accessKey.exists) return;
  const key = await app.accessKey.generate();
  const link = await app.signInLinks.create(owner);
  process.stdout.write(
    `Access key for browsers: ${key}\nSave it now, it is shown only once. Create a new one: svc auth access-key\n` +
      `Or sign in with this link, valid once for one minute:\n${url}/sign-in#${link.token}\n`,
  );
}

/** Logs each step once, whose progress goes to `report`. */
function logSteps(log: Log, report: ReportStart = () => undefined): ReportStart {
  let logged = '';
  return (step) => {
    if (step.text !== logged) log.info({}, step.text);
    logged = step.text;
    report(step);
  };
}

const MIB = 1024 * 1024;

/** The launcher and the terminal may both send the same signal, which must count once. */
const DUPLICATE_SIGNAL_MS = 150;

/** Resolves at the next SIGINT, SIGTERM or SIGHUP after `ignoreMs`. */
function nextSignal(ignoreMs = 0): Promise<void> {
  const since = performance.now();
  return new Promise((resolve) => {
    const stop = () => {
      if (performance.now() - since < ignoreMs) return;
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(signal, stop);
      resolve();
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  });
}

/** Connections that wait to be accepted; what comes beyond them is tried again by its system after a second only. */
const BACKLOG = 4096;

async function listen(server: FastifyInstance, config: Config): Promise<string> {
  const host = config.get('server.host');
  const port = config.get('server.port');
  try {
    await server.listen({ host, port, backlog: BACKLOG });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')
      throw new AppError(
        'configuration',
        `Port ${port} on ${host} is already in use. Choose another: SVC_PORT=${port + 1} svc daemon`,
        { cause: error },
      );
    throw error;
  }
  const address = server.server.address();
  const actual = typeof address === 'object' && address ? address.port : port;
  return `http://${host.includes(':') ? `[${host}]` : host}:${actual}`;
}
