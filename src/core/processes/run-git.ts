import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeInheritedDescriptors } from './inherited-descriptors.ts';

/** The most output of a command unless it says otherwise. */
export const MAX_BYTES = 64 * 1024 * 1024;
/** The most of what it says of a failure. */
export const MAX_ERRORS = 2000;

export interface GitCall {
  program: string;
  args: readonly string[];
  cwd: string;
  /** The complete environment; begin with `plainGitEnvironment`. */
  env: Record<string, string>;
  signal: AbortSignal;
  stdin?: string | Uint8Array | undefined;
  /** Output beyond it fails the call. */
  maxBytes?: number | undefined;
  /** That of the daemon unless set. */
  umask?: number | undefined;
}

export class GitFailed extends Error {
  /** What it printed on stdout before. */
  readonly output: string;
  constructor(message: string, output = '') {
    super(message);
    this.output = output;
  }
}
export class TooMuchOutput extends GitFailed {}

/** No settings of the person or the system, no questions, and no network. */
export const plainGitEnvironment: Readonly<Record<string, string>> = {
  PATH: '/usr/bin:/bin',
  LC_ALL: 'C',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_REPLACE_OBJECTS: '1',
  // No transport is named so, which leaves none: nothing is fetched, and no program of a transport runs.
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
};

/** Runs git and resolves with its output; throws a `GitFailed` with the end of what it says. */
export async function runGit(call: GitCall): Promise<Buffer> {
  const { program, args, cwd, env, signal, stdin, maxBytes = MAX_BYTES, umask } = call;
  signal.throwIfAborted();
  closeInheritedDescriptors();
  const [file, ...rest] =
    umask === undefined
      ? [program, ...args]
      : ['/bin/sh', '-c', 'umask "$1"; shift; exec "$@"', 'sh', umask.toString(8), program, ...args];
  const child = spawn(file, rest, {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    signal,
    killSignal: 'SIGKILL',
  });
  const closed = once(child, 'close') as Promise<[number | null]>;
  // A git that has exited reads no more.
  child.stdin.on('error', () => undefined);
  child.stdin.end(stdin ?? '');
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(0, MAX_ERRORS)));
  const pieces: Buffer[] = [];
  let size = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxBytes) child.kill('SIGKILL');
    else pieces.push(chunk);
  });
  const [code] = await closed;
  if (size > maxBytes) throw tooMuchOutput(args, maxBytes);
  if (code !== 0) throw failedCall(args, errors, Buffer.concat(pieces));
  return Buffer.concat(pieces);
}

/** The error of a command that printed more than it may. */
export const tooMuchOutput = (args: readonly string[], maxBytes: number): TooMuchOutput =>
  new TooMuchOutput(`git ${named(args)} printed more than ${maxBytes} bytes`);

/** The error of a command that failed, with what it wrote to its streams. */
export const failedCall = (args: readonly string[], errors: string, output: Buffer): GitFailed =>
  new GitFailed(`git ${named(args)} failed: ${errors.slice(0, MAX_ERRORS).trim()}`, output.toString());

const named = (args: readonly string[]) =>
  args.filter((arg, at) => arg !== '-c' && args[at - 1] !== '-c').join(' ');

/** The paths of an output with `-z`. Names that are not UTF-8 are left out: no path of a text can name them. */
export function pathsIn(output: Buffer): string[] {
  const paths: string[] = [];
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  for (let at = 0, end = output.indexOf(0); end >= 0; at = end + 1, end = output.indexOf(0, at))
    try {
      paths.push(decoder.decode(output.subarray(at, end)));
    } catch {
      continue;
    }
  return paths;
}

/** Paths as git reads them with `-z --stdin`. */
export const pathLines = (paths: Iterable<string>): string => [...paths].map((path) => `${path}\0`).join('');
