import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import {
  type DaemonDescription,
  isAlive,
  readDaemonFile,
  readFreshStart,
  type StartingDaemon,
} from '../../connection/daemon-file.ts';
import { formatDuration } from '../../output/duration.ts';
import { describeWait } from '../../output/while-waiting.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { listenerAt } from '../../connection/own-listener.ts';
import { countDaemons } from '../health/show-health.ts';
import { askDaemon } from './ask-daemon.ts';
import { findReadyDaemon, startDaemonProcess } from '../../connection/start-daemon-process.ts';

interface Format {
  json?: boolean;
}
interface StartOptions extends Format {
  host?: string;
  port?: number;
}

const GONE_WITHIN_MS = 35_000;
const LOOK_EVERY_MS = 50;

/** `svc daemon start`: succeeds if a daemon is already running. */
export async function startDaemon(cli: Cli, options: StartOptions): Promise<void> {
  const running = await findReadyDaemon(cli.locations);
  const { url, pid } = running ?? (await startDaemonProcess(cli, flagsOf(options)));
  cli.output.note(`The daemon is ${running ? 'already ' : ''}running at ${url} (process ${pid}).`);
  if (existsSync(cli.locations.setupCodeFile))
    cli.output.note('No account exists yet. Create the first one: svc auth signup');
  if (options.json) await showStatus(cli, options);
}

/** `svc daemon stop`: waits until the process has exited. */
export async function stopDaemon(cli: Cli, { json }: Format = {}): Promise<void> {
  const running = readDaemonFile(cli.locations);
  const starting = running ? undefined : readFreshStart(cli.locations);
  if (running) await requireSameDaemon(cli, running);
  const pid = running?.pid ?? starting?.pid;
  if (pid !== undefined) await endProcess(cli, pid);
  cli.output.note(pid === undefined ? 'No daemon is running.' : 'Daemon stopped.');
  if (starting) cli.output.note('Its next start continues what it was doing: svc daemon start');
  if (json) cli.output.json({ running: false });
}

/** The flags that give a new process the same options. */
const flagsOf = ({ host, port }: StartOptions): string[] => [
  ...(host === undefined ? [] : ['--host', host]),
  ...(port === undefined ? [] : ['--port', String(port)]),
];

async function endProcess(cli: Cli, pid: number): Promise<void> {
  process.kill(pid, 'SIGTERM');
  const deadline = performance.now() + GONE_WITHIN_MS;
  const patience = setTimeout(() => cli.output.note('Waiting for running tasks …'), 1500);
  try {
    while (isAlive(pid)) {
      if (performance.now() > deadline)
        throw new CliError(exitCodes.failed, `Process ${pid} is still running after 35 s.`, {
          next: `Kill it: kill -KILL ${pid}`,
        });
      await delay(LOOK_EVERY_MS);
    }
  } finally {
    clearTimeout(patience);
  }
}

/** `svc daemon restart`. */
export async function restartDaemon(cli: Cli, options: StartOptions): Promise<void> {
  await stopDaemon(cli);
  await startDaemon(cli, options);
}

/** `svc daemon status`. */
export async function showStatus(cli: Cli, { json }: Format): Promise<void> {
  const { output } = cli;
  const running = readDaemonFile(cli.locations);
  const report = running && (await askDaemon(cli, running.url));
  if (!running || !report) {
    cli.exitCode = exitCodes.unreachable;
    const starting = running ? undefined : readFreshStart(cli.locations);
    if (json) output.json({ running: false, ...(starting && { starting: startOf(starting) }) });
    else if (starting)
      output.note(
        `The daemon is starting (process ${starting.pid}): ${describeWait(starting.step, 0)}. Wait for it: svc daemon start`,
      );
    else if (running)
      output.note(`Process ${running.pid} does not respond at ${running.url}. See: svc daemon logs`);
    else output.note('No daemon is running. Start it: svc daemon start');
    return;
  }
  const { url, pid, version, startedAt } = running;
  const { uptime, status, cluster } =
    report === 'private'
      ? { uptime: (Date.now() - Date.parse(startedAt)) / 1000, status: 'unknown', cluster: undefined }
      : report;
  if (json) return output.json({ running: true, url, pid, version, uptime, status });
  const health = { unknown: 'unknown; sign in to see it: svc auth login', healthy: 'healthy' }[status];
  output.write(
    `url      ${url}\npid      ${pid}\nversion  ${version}\nuptime   ${formatDuration(uptime * 1000)}\nhealth   ${health ?? `${status}; see why: svc doctor`}\n`,
  );
  if (cluster) output.write(`daemons  ${countDaemons(cluster)}\n`);
}

const startOf = ({ pid, step }: StartingDaemon) => ({ pid, ...step });

/** Process IDs are reused, so a signal is only sent to a process that proves to be the daemon of this home. */
async function requireSameDaemon(cli: Cli, { pid, url, startedAt }: DaemonDescription): Promise<void> {
  const next = `If it is svc: kill ${pid}`;
  const report = await askDaemon(cli, url);
  if (report === 'private') {
    // Cloud mode reports its uptime to signed-in users only.
    if (listenerAt(url) === 'own') return;
    throw new CliError(exitCodes.notAllowed, `The daemon at ${url} does not recognize you.`, {
      next: `Sign in: svc auth login. ${next}`,
    });
  }
  if (!report)
    throw new CliError(exitCodes.unreachable, `Process ${pid} does not respond at ${url}.`, { next });
  const since = Date.now() - report.uptime * 1000;
  if (Math.abs(since - Date.parse(startedAt)) > 15_000)
    throw new CliError(exitCodes.failed, `The server at ${url} is not the daemon of process ${pid}.`, {
      next,
    });
}
