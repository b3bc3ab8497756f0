import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setInterval } from 'node:timers/promises';
import { execa, type ResultPromise } from 'execa';
import { freePort } from '../../bench/free-port.ts';
import { isAlive } from '../../src/cli/connection/daemon-file.ts';
import { compileCache } from '../helpers/compile-cache.ts';
import { memoryFolder } from '../helpers/memory-folder.ts';
import { placeDatabase } from '../helpers/place-database.ts';

export const root = resolve(import.meta.dirname, '../..');
const binary = join(root, 'bin/svc.js');

/** Whether programs can be started on a terminal of their own: that takes `script` of util-linux. */
export const hasTerminals = spawnSync('script', ['--version']).status === 0;
if (!hasTerminals && process.env['CI'])
  throw new Error('These tests need script (util-linux), and CI skips nothing');

/** Builds dist where it is not current; test files that start at the same time build it once. */
export function ensureBuilt(): void {
  const lock = new DatabaseSync(join(tmpdir(), 'svc-test-build.lock'), { timeout: 120_000 });
  lock.exec('pragma locking_mode = exclusive; begin exclusive');
  try {
    const { status } = spawnSync(process.execPath, [join(root, 'bin/ensure-built.js')], {
      cwd: root,
      stdio: 'inherit',
    });
    if (status !== 0) throw new Error('svc could not be built');
  } finally {
    lock.close();
  }
}

export interface Outcome {
  code: number | undefined;
  stdout: string;
  stderr: string;
}
export interface CallOptions {
  env?: Record<string, string>;
  stdin?: string;
  /** Leaves stdin open for the caller to write to. */
  isOpen?: boolean;
  cwd?: string;
}
const settings = { extendEnv: false, reject: false, stripFinalNewline: false } as const;
type Running = ResultPromise<typeof settings>;

/** A home of its own for the real program, and everything that it starts. */
export class SvcHome implements AsyncDisposable {
  readonly folder = memoryFolder();
  readonly port: number;
  readonly #running = new Set<Running>();

  private constructor(port: number) {
    this.port = port;
  }

  static async create(): Promise<SvcHome> {
    const home = new SvcHome(await freePort());
    await placeDatabase(join(home.folder, 'svc.db'));
    return home;
  }

  get env(): Record<string, string> {
    return {
      PATH: process.env['PATH'] ?? '',
      HOME: this.folder,
      SVC_HOME: this.folder,
      SVC_PORT: String(this.port),
      SVC_STORAGE_SYNCHRONOUS: 'NORMAL',
      ...compileCache,
    };
  }

  /** Runs svc to its end, without a terminal. */
  async svc(args: string[], options: CallOptions = {}): Promise<Outcome> {
    return outcomeOf(await this.start(args, options));
  }

  /** Starts svc as its own first lines do; the caller waits for it. */
  start(args: string[], options: CallOptions = {}): Running {
    return this.#track([process.execPath, ['--', binary, ...args]], options);
  }

  /** Runs a line of bash in which `svc` is this program. */
  async bash(line: string, options: CallOptions = {}): Promise<Outcome> {
    return outcomeOf(await this.#track(['bash', ['-c', `${shellFunction}\n${line}`]], options));
  }

  /** Starts svc on a terminal of its own; what is written to its stdin is typed there. */
  startOnTerminal(
    args: string[],
    { env = {}, columns = 80 }: { env?: Record<string, string>; columns?: number } = {},
  ): Running {
    const line = [process.execPath, binary, ...args]
      .map((word) => `'${word.replaceAll("'", `'\\''`)}'`)
      .join(' ');
    const running = execa('script', ['-qec', `stty cols ${columns}; ${line}`, '/dev/null'], {
      ...settings,
      env: { ...this.env, TERM: 'xterm', SHELL: '/bin/sh', ...env },
      cwd: root,
      stdin: 'pipe',
    }) as Running;
    return this.#remember(running);
  }

  get daemonPid(): number {
    return (JSON.parse(readFileSync(join(this.folder, 'daemon.json'), 'utf8')) as { pid: number }).pid;
  }

  /** Ends all that was started here, whatever it does at the moment. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const running of this.#running) running.kill('SIGKILL');
    const file = join(this.folder, 'daemon.json');
    if (existsSync(file) && readFileSync(file, 'utf8') !== '') await endDaemon(this.daemonPid);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
  }

  #track(
    [command, args]: [string, string[]],
    { env = {}, stdin, isOpen = false, cwd = root }: CallOptions,
  ): Running {
    const running = execa(command, args, {
      ...settings,
      env: { ...this.env, ...env },
      cwd,
      ...(stdin === undefined
        ? { stdin: isOpen ? ('pipe' as const) : ('ignore' as const) }
        : { input: stdin }),
    });
    return this.#remember(running as Running);
  }

  #remember(running: Running): Running {
    this.#running.add(running);
    void running.then(() => this.#running.delete(running));
    return running;
  }
}

const shellFunction = `svc() { '${process.execPath}' -- '${binary}' "$@"; }`;

/** The second SIGTERM ends a daemon at once; signals are sent until it is gone. */
async function endDaemon(pid: number): Promise<void> {
  if (pid === process.pid) return;
  for await (const _ of setInterval(20)) {
    if (!isAlive(pid)) return;
    process.kill(pid, 'SIGTERM');
  }
}

/** How a program that was started ended. */
export const outcomeOf = ({ exitCode, stdout, stderr }: Awaited<Running>): Outcome => ({
  code: exitCode,
  stdout,
  stderr,
});

/** Resolves once the output of a program has matched, with all that it has said until then. */
export async function said(running: Running, from: 'stdout' | 'stderr', pattern: RegExp): Promise<string> {
  let text = '';
  const stream = running[from];
  const found = new Promise<string>((resolve) => {
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
      if (pattern.test(text)) resolve(text);
    });
  });
  const ended = running.then(() => {
    throw new Error(`It ended and had said only: ${text}`);
  });
  return Promise.race([found, ended]);
}
