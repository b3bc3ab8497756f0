import { Readable } from 'node:stream';
import {
  endGroup,
  killMarked,
  runMarker,
  signalGroup,
  signalMarked,
  watchedProgram,
} from './process-group.ts';

/** How long the pipes may stay open after the end of the program. */
const DRAIN_MS = 1000;

export type Exit = { code: number | null; signal: NodeJS.Signals | null } | { error: Error };
export type OutputName = 'stdout' | 'stderr';

export interface ProgramRun {
  argv: readonly string[];
  cwd: string;
  /** The whole environment, with the mark in it by which `runMarker` is found. */
  env: Record<string, string | undefined>;
  /** The value of the marker: whatever carries it ends with the program. */
  mark: string;
  /** Ends the program, and all that it started, within two seconds. */
  signal: AbortSignal;
  /** True of a sandbox, which takes all that is in it along when it ends, and marks it itself. */
  isSandbox?: boolean;
  onOutput(chunk: Buffer, name: OutputName): void;
}

/** Runs a program, without a shell, in a process group of its own; when it resolves, all that the program started is gone. */
export async function runProgram(run: ProgramRun): Promise<Exit> {
  const { argv, cwd, mark, signal, isSandbox = false } = run;
  signal.throwIfAborted();
  // Loaded at the first run: it costs the start of the daemon more than everything else here.
  const { execa } = await import('execa');
  const child = execa('/bin/sh', [...watchedProgram, ...argv], {
    cwd,
    env: isSandbox ? run.env : { ...run.env, [runMarker]: mark },
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
  const stdout = follow(child.stdio[1], (chunk) => run.onOutput(chunk, 'stdout'));
  const stderr = follow(child.stdio[2], (chunk) => run.onOutput(chunk, 'stderr'));
  // TERM would end the sandbox itself, and with it all inside without a chance to clean up.
  const ask = isSandbox ? () => signalMarked((found) => found === mark, 'SIGTERM') : undefined;
  const stop = () => {
    // A group that cannot be signalled any more has ended.
    if (pid !== undefined) endGroup(pid, exited, ask).catch(() => undefined);
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

/** Reads one stream; answers how to wait for its end. */
function follow(stream: unknown, onChunk: (chunk: Buffer) => void): () => Promise<void> {
  if (!(stream instanceof Readable)) return async () => undefined;
  const ended = new Promise<void>((resolve) => {
    stream.on('data', onChunk);
    stream.once('close', resolve);
    stream.once('error', () => resolve());
  });
  return async () => {
    const drain = setTimeout(() => stream.destroy(), DRAIN_MS);
    await ended;
    clearTimeout(drain);
  };
}
