import { Readable } from 'node:stream';
import type { OutputName } from '../../contract/task-output.ts';
import { closeInheritedDescriptors } from './inherited-descriptors.ts';
import {
  terminateGroup,
  killMarked,
  processMarker,
  signalGroup,
  signalMarked,
  watched,
} from './process-group.ts';

/** How long the pipes may stay open after the program has exited. */
const DRAIN_MS = 1000;

export type Exit = { code: number | null; signal: NodeJS.Signals | null } | { error: Error };

export interface ProgramOptions {
  argv: readonly string[];
  cwd: string;
  /** The complete environment; the mark is added to it unless `isSandbox` is set. */
  env: Record<string, string | undefined>;
  /** The one that the daemon was started with unless set. */
  umask?: number | undefined;
  /** The value of the marker: every process that carries it is killed with the program. */
  mark: string;
  /** Terminates the program and all processes that it started, within two seconds. */
  signal: AbortSignal;
  /** Whether the program is a sandbox, which marks its processes itself and takes them down when it exits. */
  isSandbox?: boolean;
  /** Nothing more is read from the stream until it resolves; never rejects. */
  onOutput(chunk: Buffer, name: OutputName): void | Promise<void>;
}

/** Runs a program without a shell in its own process group; once it resolves, every process that the program started is gone. */
export async function runProgram(options: ProgramOptions): Promise<Exit> {
  const { argv, cwd, mark, signal, isSandbox = false } = options;
  signal.throwIfAborted();
  // Loaded on first use, because it would slow down the start of the daemon.
  const { execa } = await import('execa');
  closeInheritedDescriptors();
  const child = execa('/bin/sh', watched(argv, options.umask), {
    cwd,
    env: isSandbox ? options.env : { ...options.env, [processMarker]: mark },
    extendEnv: false,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    buffer: false,
    reject: false,
    detached: true,
    cleanup: false,
  });
  const { pid, nodeChildProcess: process } = child;
  const exited = new Promise<Exit>((resolve) => {
    process.once('exit', (code, by) => resolve({ code, signal: by }));
    process.once('error', (error) => resolve({ error }));
  });
  const stdout = follow(child.stdio[1], (chunk) => options.onOutput(chunk, 'stdout'));
  const stderr = follow(child.stdio[2], (chunk) => options.onOutput(chunk, 'stderr'));
  // SIGTERM would end the sandbox itself, and the processes inside could not clean up.
  const requestExit = isSandbox ? () => signalMarked((found) => found === mark, 'SIGTERM') : undefined;
  const stop = () => {
    // A group that can no longer be signalled has exited.
    if (pid !== undefined) terminateGroup(pid, exited, requestExit).catch(() => undefined);
  };
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const exit = await exited;
  signal.removeEventListener('abort', stop);
  if (pid !== undefined) signalGroup(pid, 'SIGKILL');
  await killMarked((found) => found === mark);
  await Promise.all([stdout(), stderr()]);
  for (const stream of process.stdio) stream?.destroy();
  return exit;
}

/** Reads a stream; returns a function that waits for its end. */
function follow(stream: unknown, onChunk: (chunk: Buffer) => void | Promise<void>): () => Promise<void> {
  if (!(stream instanceof Readable)) return async () => undefined;
  let drain: NodeJS.Timeout | undefined;
  let isDraining = false;
  const waitForMore = () => {
    if (isDraining) drain = setTimeout(() => stream.destroy(), DRAIN_MS);
  };
  const ended = (async () => {
    try {
      for await (const chunk of stream) {
        clearTimeout(drain);
        await onChunk(chunk as Buffer);
        waitForMore();
      }
    } catch (error) {
      // A pipe that breaks, or that is closed because nothing comes any more, has ended.
      if (!stream.destroyed) throw error;
    }
  })();
  return async () => {
    isDraining = true;
    waitForMore();
    await ended;
    clearTimeout(drain);
  };
}
