import { Readable } from 'node:stream';
import { closeInheritedDescriptors } from './inherited-descriptors.ts';
import { watched } from './process-group.ts';

export type Exit = { code: number | null; signal: NodeJS.Signals | null } | { error: Error };

export interface StartOptions {
  argv: readonly string[];
  cwd: string;
  /** The complete environment. */
  env: Record<string, string | undefined>;
  /** The one that the daemon was started with unless set. */
  umask?: number | undefined;
}

/** A program that leads a process group, which a watcher kills when the daemon dies. */
export interface StartedProgram {
  /** Undefined where it did not start. */
  pid: number | undefined;
  stdout: Readable | undefined;
  stderr: Readable | undefined;
  exited: Promise<Exit>;
  /** Closes the pipes after the exit. */
  close(): void;
}

/** Starts a program without a shell; never rejects because of the program, whose failure to start is its exit. */
export type StartProgram = (options: StartOptions) => Promise<StartedProgram>;

/** Starts it from this process, which takes the longer the more memory this process has. */
export const startProgram: StartProgram = async ({ argv, cwd, env, umask }) => {
  // Loaded on first use, because it would slow down the start of the daemon.
  const { execa } = await import('execa');
  closeInheritedDescriptors();
  const child = execa('/bin/sh', watched(argv, umask), {
    cwd,
    env,
    extendEnv: false,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    buffer: false,
    reject: false,
    detached: true,
    cleanup: false,
  });
  const { pid, nodeChildProcess: process } = child;
  const exited = new Promise<Exit>((resolve) => {
    process.once('exit', (code, signal) => resolve({ code, signal }));
    process.once('error', (error) => resolve({ error }));
  });
  return {
    pid,
    stdout: readable(child.stdio[1]),
    stderr: readable(child.stdio[2]),
    exited,
    close: () => {
      for (const stream of process.stdio) stream?.destroy();
    },
  };
};

const readable = (stream: unknown) => (stream instanceof Readable ? stream : undefined);
