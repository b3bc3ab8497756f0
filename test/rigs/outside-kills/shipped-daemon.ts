import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root, SvcHome } from '../../cli/svc-binary.ts';
import { compileCache } from '../../helpers/compile-cache.ts';
import { markedProcesses } from '../marked-processes.ts';

/** The backoff that the daemon runs with, in milliseconds. */
export const backoffMs = 20;

/** All settings but these are the defaults: clients ask more often than the limits of one caller allow. */
const settings = {
  SVC_QUEUE_RETRY_BACKOFF: String(backoffMs),
  SVC_LIMITS_REQUESTS_PER_MINUTE: '1000000',
  SVC_LIMITS_STREAMS_PER_USER: '100',
  SVC_GATEWAY_REQUESTS_PER_SECOND: '100000',
  SVC_GATEWAY_STATUS_REQUESTS_PER_MINUTE: '1000000',
  GATEWAY_RATE_LIMIT_RPM: '1000000',
};
/** The files of a database whose writer was killed. */
const databaseSuffixes = ['', '-wal', '-shm'];
/** The pino level of errors. */
const ERROR = 50;

/** `bin/svc.js daemon` as users start it, in a process group and a home of its own; it is killed and started again. */
export class ShippedDaemon implements AsyncDisposable {
  readonly home: SvcHome;
  /** What the daemon logged as errors. */
  readonly errors: string[] = [];
  /** The slowest start, in milliseconds from the process to the ready line. */
  slowestStartMs = 0;
  #child: ChildProcess | undefined;

  /** Ends a daemon that is left over when this process exits early. */
  readonly #onExit = () => {
    if (this.#pid !== undefined) process.kill(-this.#pid, 'SIGKILL');
  };

  private constructor(home: SvcHome) {
    this.home = home;
    process.once('exit', this.#onExit);
  }

  /** The process group, while it runs. */
  get #pid(): number | undefined {
    const child = this.#child;
    return child?.exitCode === null && child.signalCode === null ? child.pid : undefined;
  }

  static async create(): Promise<ShippedDaemon> {
    return new ShippedDaemon(await SvcHome.create());
  }

  get url(): string {
    return `http://127.0.0.1:${this.home.port}`;
  }

  get databaseFile(): string {
    return join(this.home.folder, 'svc.db');
  }

  /** Runs a command of the command line, which must not start a daemon of its own. */
  svc(args: string[]): ReturnType<SvcHome['svc']> {
    return this.home.svc(args, { env: { ...compileCache, SVC_NO_AUTOSTART: '1' } });
  }

  /** Starts the daemon; the answer resolves at its ready line with true, or with false when it ended before. */
  start(): { ready: Promise<boolean> } {
    const started = performance.now();
    const child = spawn(process.execPath, [join(root, 'bin/svc.js'), 'daemon'], {
      env: { ...this.home.env, ...settings, ...compileCache },
      cwd: this.home.folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.#child = child;
    const ready = new Promise<boolean>((resolve) => {
      child.once('close', () => resolve(false));
      this.#readLines(child, () => {
        this.slowestStartMs = Math.max(this.slowestStartMs, performance.now() - started);
        resolve(true);
      });
    });
    return { ready };
  }

  /** Sends the signal to the whole process group and waits for its end. */
  async end(signal: NodeJS.Signals): Promise<void> {
    const pid = this.#pid;
    if (!this.#child || pid === undefined) return;
    const ended = once(this.#child, 'exit');
    process.kill(-pid, signal);
    await ended;
  }

  /** Copies the database while no daemon runs. */
  saveDatabase(): void {
    for (const suffix of databaseSuffixes) {
      rmSync(`${this.databaseFile}.saved${suffix}`, { force: true });
      if (existsSync(this.databaseFile + suffix))
        copyFileSync(this.databaseFile + suffix, `${this.databaseFile}.saved${suffix}`);
    }
  }

  /** Replaces the database by its copy while no daemon runs. */
  setDatabaseBack(): void {
    for (const suffix of databaseSuffixes) {
      rmSync(this.databaseFile + suffix, { force: true });
      if (existsSync(`${this.databaseFile}.saved${suffix}`))
        copyFileSync(`${this.databaseFile}.saved${suffix}`, this.databaseFile + suffix);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end('SIGKILL');
    process.off('exit', this.#onExit);
    // It names a process that has ended, whose number may be that of another one now.
    rmSync(join(this.home.folder, 'daemon.json'), { force: true });
    await this.home[Symbol.asyncDispose]();
  }

  #readLines(child: ChildProcess, onReady: () => void): void {
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) {
        if (line.includes(' listens on ')) onReady();
        else if ((JSON.parse(line) as { level: number }).level >= ERROR) this.errors.push(line);
      }
    });
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => this.errors.push(chunk.trimEnd()));
  }
}

/** Kills every process that agents of this installation started. */
export function killAgents(installation: string): void {
  for (const { pid } of agentProcesses(installation)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      // It ended meanwhile.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }
}

/** Living processes that agents of this installation started. */
export const agentProcesses = (installation: string) =>
  markedProcesses((mark) => mark.startsWith(`${installation}/`));
