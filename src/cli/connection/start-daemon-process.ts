import { spawn } from 'node:child_process';
import { closeSync, fstatSync, mkdirSync, openSync, readFileSync, realpathSync } from 'node:fs';
import type { Locations } from '../../contract/locations.ts';
import { CliError } from '../errors/cli-error.ts';
import type { Cli } from '../program/cli.ts';
import { type DaemonDescription, isAlive, readDaemonFile, readStartingDaemon } from './daemon-file.ts';
import { escapeLine } from '../output/escape-text.ts';
import { exitCodes } from '../errors/exit-codes.ts';
import { httpFetch } from './http-fetch.ts';
import { whileWaiting } from '../output/while-waiting.ts';
import { untilInterrupted } from '../commands/run/on-interrupt.ts';
import { waitForDaemon } from './wait-for-daemon.ts';

const LOG_LINES_SHOWN = 5;
/** As pino numbers it. */
const WARNING = 40;
/** The message of a daemon that found its data directory in use: another one is starting. */
const lostRace = 'uses this data folder';

/** Starts a daemon of its own process group and waits until a daemon responds, even one started by another process. */
export async function startDaemonProcess(
  cli: Cli,
  flags: string[] = [],
): Promise<DaemonDescription & { isOurs: boolean }> {
  const { locations } = cli;
  const log = openLog(locations);
  const child = spawn(process.execPath, [...process.execArgv, programPath(), 'daemon', ...flags], {
    detached: true,
    stdio: ['ignore', log.file, log.file],
    env: daemonEnvironment(cli),
    cwd: '/',
  });
  closeSync(log.file);
  let exitReason: string | undefined;
  let exitCode: number | null = null;
  child.once('error', (error) => (exitReason = error.message));
  child.once('exit', (code, signal) => {
    exitCode = code;
    exitReason = `it exited with ${signal ?? `exit code ${code}`}`;
  });
  child.unref();
  const said = () => readFrom(locations.logFile, log.size);
  const fail = (reason: string) => notStarted(reason, exitCode, said(), locations);
  const wait = { isShown: true, text: 'starting the daemon' };
  const running = await whileWaiting(cli.output, wait, (show) =>
    untilInterrupted(
      () => stillStarting(locations),
      (signal) =>
        waitForDaemon({
          find: () => findReadyDaemon(locations),
          look: () => readStartingDaemon(locations),
          exitReason: () => (exitReason !== undefined && !said().includes(lostRace) ? exitReason : undefined),
          isAlive,
          show,
          fail,
          signal,
        }),
    ),
  );
  return { ...running, isOurs: running.pid === child.pid };
}

/** The daemon is a process group of its own, which no Ctrl-C reaches. */
function stillStarting(locations: Locations): { message: string; next: string } {
  const doing = readStartingDaemon(locations)?.step.text;
  const message = `The daemon is still starting${doing === undefined ? '' : `: ${doing}`}.`;
  return { message, next: 'See: svc daemon status' };
}

/** The daemon of this home, if it serves requests, even if it cannot store anything. */
export async function findReadyDaemon(locations: Locations): Promise<DaemonDescription | undefined> {
  const running = readDaemonFile(locations);
  if (!running) return undefined;
  try {
    const response = await httpFetch(`${running.url}/api/health/ready`, {
      method: 'GET',
      headers: {},
      signal: AbortSignal.timeout(2000),
    });
    if (response.status === 200) return running;
    // It serves what it can. A second daemon on its data would be worse than a clear error of this one.
    const { status } = JSON.parse(await response.text()) as { status?: unknown };
    return status === 'unavailable' ? running : undefined;
  } catch {
    // It does not listen yet, or not any more.
    return undefined;
  }
}

function openLog({ state, logFile }: Locations): { file: number; size: number } {
  mkdirSync(state, { recursive: true, mode: 0o700 });
  // The daemon itself rotates it, while it runs.
  const file = openSync(logFile, 'a', 0o600);
  return { file, size: fstatSync(file).size };
}

/** The daemon outlives the task or terminal that started it, so it must not inherit their variables. */
export function daemonEnvironment({ platform: { env } }: Cli): Record<string, string | undefined> {
  const { SVC_RUN: _run, SVC_TASK_ID: _task, SVC_URL: _url, SVC_TOKEN: _token, ...others } = env;
  return others;
}

/** The real path of this program, because npx calls it through a temporary link. */
export const programPath = (): string => realpathSync(process.argv[1] ?? '');

const readFrom = (path: string, start: number) => readFileSync(path).subarray(start).toString('utf8');

function notStarted(why: string, exitCode: number | null, said: string, { logFile }: Locations): CliError {
  const lines = said.trim().split('\n').map(readable).filter(Boolean).slice(-LOG_LINES_SHOWN);
  const isConfiguration = exitCode === exitCodes.configuration;
  const reason = lines.join(' ') || why;
  return new CliError(
    isConfiguration ? exitCodes.configuration : exitCodes.unreachable,
    `The daemon did not start: ${reason}`,
    { next: isConfiguration ? 'Then: svc daemon start' : `See: svc daemon logs (${logFile})` },
  );
}

/** A warning or an error of the log as its message; what is no JSON stays. */
function readable(line: string): string {
  try {
    const { level, msg, err } = JSON.parse(line) as {
      level?: number;
      msg?: string;
      err?: { message?: string };
    };
    if (level !== undefined && level < WARNING) return '';
    return escapeLine([msg, err?.message].filter(Boolean).join(': ') || line);
  } catch {
    return escapeLine(line).replace(/^svc: /, '');
  }
}
