import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Runtime } from '../../runtime.ts';
import { closeInheritedDescriptors } from '../inherited-descriptors.ts';
import { signalGroup, watched } from '../process-group.ts';
import {
  type Exit,
  type StartedProgram,
  type StartOptions,
  startProgram,
  type StartProgram,
} from '../start-program.ts';
import type { ForkReport, ForkRequest } from './fork-messages.ts';
import { ForkStreams } from './fork-streams.ts';

/** So many programs, each soon after the one before, are worth a process of their own that forks. */
const BURST = 4;
const SOON_MS = 2000;
/** It ends after so long without a program, and gives its memory back. */
const IDLE_MS = 60_000;
/** Node.js uses a fast way to start programs elsewhere. */
const isNeeded = process.platform === 'linux';
const processFile = new URL(
  import.meta.url.endsWith('.ts') ? './fork-process.ts' : './fork-process.js',
  import.meta.url,
);

interface Forked {
  pid?: number;
  streams: { stdout?: Readable; stderr?: Readable };
  secrets: ForkRequest['secrets'];
  exit(exit: Exit): void;
  /** Called when something is known; resolves the start once all is. */
  progress(): void;
  hasEnded: boolean;
}

export interface ForkServerDeps {
  /** The path of its socket, in a directory of the daemon alone. */
  socket: string;
  runtime: Pick<Runtime, 'newSecret' | 'monotonic'>;
}

/**
 * Starts programs from a small process as soon as there are many to start: the daemon is large, so that Linux takes ten
 * times as long to fork it, and it does nothing else meanwhile.
 */
export class ForkServer {
  readonly #deps: ForkServerDeps;
  readonly #programs = new Map<number, Forked>();
  #lastId = 0;
  #recent = 0;
  #lastStart = Number.NEGATIVE_INFINITY;
  #streams: ForkStreams | undefined;
  /** Set once it is ready. */
  #child: ChildProcess | undefined;
  #opening: Promise<void> | undefined;
  #idle: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(deps: ForkServerDeps) {
    this.#deps = deps;
  }

  /** The process that forks, for tests; undefined while there is none. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  readonly start: StartProgram = (options) => {
    const now = this.#deps.runtime.monotonic();
    this.#recent = now - this.#lastStart > SOON_MS ? 1 : this.#recent + 1;
    this.#lastStart = now;
    if (this.#child) return this.#fork(this.#child, options);
    if (isNeeded && this.#recent >= BURST && !this.#isClosed)
      this.#opening ??= this.open().finally(() => (this.#opening = undefined));
    return startProgram(options);
  };

  /** Starts the process that forks; without it, programs are started from this one. */
  async open(): Promise<void> {
    const streams = new ForkStreams(this.#deps.socket, this.#deps.runtime);
    if (!(await streams.listen())) return streams.close();
    closeInheritedDescriptors();
    // In a session of its own, because a Ctrl-C is for the daemon, which still waits for its programs.
    const child = spawn(process.execPath, [fileURLToPath(processFile), this.#deps.socket], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc', 'pipe'],
      env: {},
      cwd: '/',
      detached: true,
    });
    child.on('message', (report: ForkReport) => this.#note(report));
    const ended = () => {
      streams.close();
      if (this.#child === child) this.#child = undefined;
      this.#lose();
    };
    child.once('exit', ended);
    await new Promise<void>((resolve) => {
      child.once('spawn', () => {
        child.unref();
        child.channel?.unref();
        this.#child = child;
        this.#streams = streams;
        this.#waitIdle();
        resolve();
      });
      child.once('error', () => {
        ended();
        resolve();
      });
    });
    if (this.#isClosed) this.#end();
  }

  /** Ends the process that forks; programs that it has started go on. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#opening;
    this.#end();
  }

  #fork(child: ChildProcess, options: StartOptions): Promise<StartedProgram> {
    const { argv, cwd, env, umask } = options;
    clearTimeout(this.#idle);
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      let exit: Forked['exit'] = () => undefined;
      const exited = new Promise<Exit>((ended) => (exit = ended));
      const expect = (name: 'stdout' | 'stderr') =>
        this.#streams?.expect((stream) => {
          program.streams[name] = stream;
          program.progress();
        }) ?? '';
      const program: Forked = {
        streams: {},
        secrets: { stdout: expect('stdout'), stderr: expect('stderr') },
        hasEnded: false,
        exit,
        progress: () => {
          const { pid, streams, hasEnded } = program;
          const { stdout, stderr } = streams;
          if (!hasEnded && (pid === undefined || !stdout || !stderr)) return;
          resolve({
            pid,
            stdout,
            stderr,
            exited,
            close: () => [stdout, stderr].forEach((one) => one?.destroy()),
          });
        },
      };
      this.#programs.set(id, program);
      const request: ForkRequest = {
        id,
        argv: ['/bin/sh', ...watched(argv, umask)],
        cwd,
        env,
        secrets: program.secrets,
      };
      child.send(request, (error) => {
        if (!error || !this.#programs.delete(id)) return;
        // It has just died, and never heard of this one.
        for (const secret of Object.values(program.secrets)) this.#streams?.forget(secret);
        resolve(startProgram(options));
      });
    });
  }

  #note(report: ForkReport): void {
    if ('pid' in report) {
      const program = this.#programs.get(report.id);
      if (!program) return;
      program.pid = report.pid;
      program.progress();
    } else if ('exit' in report) this.#finish(report.id, report.exit);
    else {
      const { code, message } = report.error;
      this.#finish(report.id, { error: Object.assign(new Error(message), { code }) });
    }
  }

  #finish(id: number, exit: Exit): void {
    const program = this.#programs.get(id);
    if (!program) return;
    this.#programs.delete(id);
    // A program that has ended may not have been followed yet: its streams still come.
    if ('error' in exit) {
      program.hasEnded = true;
      for (const secret of Object.values(program.secrets)) this.#streams?.forget(secret);
    }
    program.exit(exit);
    program.progress();
    this.#waitIdle();
  }

  /** Kills the programs of the process that has died: without it, the daemon cannot learn how they end. */
  #lose(): void {
    for (const [id, program] of this.#programs) {
      this.#programs.delete(id);
      if (program.pid !== undefined) signalGroup(program.pid, 'SIGKILL');
      program.hasEnded = true;
      program.exit({ code: null, signal: 'SIGKILL' });
      program.progress();
    }
  }

  #waitIdle(): void {
    clearTimeout(this.#idle);
    if (this.#programs.size === 0) this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref();
  }

  #end(): void {
    clearTimeout(this.#idle);
    this.#streams?.close();
    this.#child?.disconnect();
    this.#child = undefined;
  }
}
