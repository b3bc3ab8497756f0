import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import type { Readable, Writable } from 'node:stream';
import { closeInheritedDescriptors } from './inherited-descriptors.ts';
import { killMarked, processMarker, signalMarked } from './marked-processes.ts';
import { signalGroup, terminateGroup, watched } from './process-group.ts';
import type { Exit } from './start-program.ts';

/** The longest line in characters; the rest of a longer one is dropped. */
const MAX_LINE = 16 * 1024 * 1024;
/** The most bytes to buffer for a program that does not read. */
const MAX_UNREAD = 16 * 1024 * 1024;
/** The end of its standard error that is kept, in characters. */
const MAX_ERRORS = 8192;
/** How long the pipes may stay open after the program has exited. */
const DRAIN_MS = 1000;

export interface LineProgramOptions {
  argv: readonly string[];
  cwd: string;
  /** The complete environment; the mark is added to it unless `isSandbox` is set. */
  env: Record<string, string | undefined>;
  umask?: number | undefined;
  /** The value of the marker: every process that carries it is killed with the program. */
  mark: string;
  /** Whether the program is a sandbox, which marks its processes itself. */
  isSandbox?: boolean;
  onLine(line: string): void;
}

/** A program that reads and writes lines, in a process group of its own; it ends with the daemon. */
export class LineProgram {
  /** Resolves once the program and every process that it started are gone and its output is read. */
  readonly exited: Promise<Exit>;
  readonly #options: LineProgramOptions;
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #ended: Promise<Exit>;
  #errors = '';
  #stopping: Promise<void> | undefined;

  constructor(options: LineProgramOptions) {
    const { argv, cwd, env, umask, mark, isSandbox = false } = options;
    this.#options = options;
    closeInheritedDescriptors();
    this.#child = spawn('/bin/sh', watched(argv, umask), {
      cwd,
      env: isSandbox ? env : { ...env, [processMarker]: mark },
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      detached: true,
    });
    // Input that the program did not read before it exited is irrelevant.
    for (const stream of this.#child.stdio) stream?.on('error', () => undefined);
    this.#ended = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => resolve({ code, signal }));
      this.#child.once('error', (error) => resolve({ error }));
    });
    const read = [this.#readLines(), this.#readErrors()];
    this.exited = this.#ended.then(async (exit) => {
      await this.#cleanUp(read);
      return exit;
    });
  }

  /** The end of what it wrote to its standard error. */
  get errors(): string {
    return this.#errors;
  }

  /** Sends a line; answers false where the program has exited or does not read. */
  send(line: string): boolean {
    const { stdin } = this.#child;
    if (!stdin.writable || stdin.writableLength > MAX_UNREAD) return false;
    stdin.write(`${line}\n`);
    return true;
  }

  /** Closes its input and terminates it and everything that it started, within two seconds. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  /** Closes its input and waits until it exits, for at most this long; then stops it. */
  async finish(patienceMs: number): Promise<void> {
    this.#child.stdin.end();
    const timer = setTimeout(() => void this.stop(), patienceMs);
    await this.exited;
    clearTimeout(timer);
  }

  async #stop(): Promise<void> {
    const { pid, stdin } = this.#child;
    stdin.end();
    const { isSandbox = false, mark } = this.#options;
    // SIGTERM would end the sandbox itself, and the processes inside could not clean up.
    const requestExit = isSandbox ? () => signalMarked((found) => found === mark, 'SIGTERM') : undefined;
    if (pid !== undefined) await terminateGroup(pid, this.#ended, requestExit);
    await this.exited;
  }

  async #cleanUp(read: readonly Promise<void>[]): Promise<void> {
    const { pid, stdio, stdout, stderr } = this.#child;
    if (pid !== undefined) signalGroup(pid, 'SIGKILL');
    await killMarked((found) => found === this.#options.mark);
    const drain = setTimeout(() => {
      stdout.destroy();
      stderr.destroy();
    }, DRAIN_MS);
    await Promise.all(read);
    clearTimeout(drain);
    for (const stream of stdio) stream?.destroy();
  }

  #readLines(): Promise<void> {
    const decoder = new StringDecoder('utf8');
    let parts: string[] = [];
    let length = 0;
    const add = (part: string) => {
      if (part !== '' && length < MAX_LINE) parts.push(part);
      length += part.length;
    };
    const flush = () => {
      const line = parts.join('');
      const isWhole = length <= MAX_LINE;
      parts = [];
      length = 0;
      if (isWhole && line.trim() !== '') this.#options.onLine(line);
    };
    this.#child.stdout.on('data', (chunk: Buffer) => {
      const lines = decoder.write(chunk).split('\n');
      const last = lines.pop() ?? '';
      for (const line of lines) {
        add(line);
        flush();
      }
      add(last);
    });
    return closeOf(this.#child.stdout).then(() => {
      add(decoder.end());
      flush();
    });
  }

  #readErrors(): Promise<void> {
    this.#child.stderr.on('data', (chunk: Buffer) => {
      this.#errors = `${this.#errors}${chunk.toString()}`.slice(-MAX_ERRORS);
    });
    return closeOf(this.#child.stderr);
  }
}

const closeOf = (stream: Readable) =>
  stream.closed ? Promise.resolve() : new Promise<void>((resolve) => stream.once('close', () => resolve()));
