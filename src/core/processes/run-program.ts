import type { Readable } from 'node:stream';
import type { OutputName } from '../../contract/task-output.ts';
import { killMarked, processMarker, signalMarked } from './marked-processes.ts';
import { noteNewestPid } from './new-pids.ts';
import { terminateGroup, signalGroup } from './process-group.ts';
import { type Exit, startProgram, type StartProgram } from './start-program.ts';

/** How long the pipes may stay open after the program has exited. */
const DRAIN_MS = 1000;

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
  /** Starts it; from this process unless set. */
  start?: StartProgram | undefined;
  /** Nothing more is read from the stream until it resolves; never rejects. */
  onOutput(chunk: Buffer, name: OutputName): void | Promise<void>;
}

/** Runs a program without a shell in its own process group; once it resolves, every process that the program started is gone. */
export async function runProgram(options: ProgramOptions): Promise<Exit> {
  const { argv, cwd, umask, mark, signal, isSandbox = false, start = startProgram } = options;
  signal.throwIfAborted();
  const env = isSandbox ? options.env : { ...options.env, [processMarker]: mark };
  const newPids = noteNewestPid();
  const program = await start({ argv, cwd, env, umask });
  const { pid, exited } = program;
  const stdout = follow(program.stdout, (chunk) => options.onOutput(chunk, 'stdout'));
  const stderr = follow(program.stderr, (chunk) => options.onOutput(chunk, 'stderr'));
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
  await killMarked((found) => found === mark, newPids);
  await Promise.all([stdout(), stderr()]);
  program.close();
  return exit;
}

/** Reads a stream; returns a function that waits for its end. */
function follow(
  stream: Readable | undefined,
  onChunk: (chunk: Buffer) => void | Promise<void>,
): () => Promise<void> {
  if (!stream) return async () => undefined;
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
