import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { closeInheritedDescriptors } from './inherited-descriptors.ts';
import { signalGroup } from './process-group.ts';
import { failedCall, type GitCall, GitFailed, MAX_BYTES, MAX_ERRORS, tooMuchOutput } from './run-git.ts';

/** The umask is set, because that of the command before would hold otherwise. */
export type ShellCall = GitCall & { umask: number };

/** A command that the shell runs, and what has come of it. */
interface Current {
  call: ShellCall;
  output: MarkedOutput;
  errors: MarkedOutput;
  resolve: (output: Buffer) => void;
  reject: (error: unknown) => void;
}

/** A shell that runs git, one command after the other. It keeps nothing of a command, and ends with the daemon. */
export class GitShell {
  /** Stands after the output of each command. */
  readonly #mark: string;
  readonly #child: ChildProcessWithoutNullStreams;
  #current: Current | undefined;
  #isAlive = true;

  /** `mark` is a text of letters and digits that no output can hold, because nobody knows it. */
  constructor(mark: string) {
    this.#mark = mark;
    closeInheritedDescriptors();
    // In a group of its own, so that a command can be killed with the shell.
    const child = spawn('/bin/sh', [], { cwd: '/', env: {}, stdio: 'pipe', detached: true });
    this.#child = child;
    child.on('error', (error) => this.#end(error));
    // What it started may be left.
    child.on('exit', () => this.#kill(new GitFailed('the shell that runs git has ended')));
    // A shell that has ended reads no more.
    child.stdin.on('error', () => undefined);
    child.stdout.on('data', (chunk: Buffer) => this.#add('output', chunk));
    child.stderr.on('data', (chunk: Buffer) => this.#add('errors', chunk));
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Resolves with the output, as `runGit` does. Call it after the command before has ended. */
  async run(call: ShellCall): Promise<Buffer> {
    const { signal } = call;
    signal.throwIfAborted();
    const kill = () => this.#kill(signal.reason);
    signal.addEventListener('abort', kill, { once: true });
    try {
      return await new Promise((resolve, reject) => {
        const output = new MarkedOutput(this.#mark, call.maxBytes ?? MAX_BYTES);
        const errors = new MarkedOutput(this.#mark, MAX_ERRORS);
        this.#current = { call, output, errors, resolve, reject };
        this.#child.stdin.write(commandLine(call, this.#mark));
      });
    } finally {
      this.#current = undefined;
      signal.removeEventListener('abort', kill);
    }
  }

  /** Resolves once it has ended. */
  async close(): Promise<void> {
    if (!this.#isAlive) return;
    const closed = new Promise((resolve) => this.#child.once('close', resolve));
    this.#child.stdin.end();
    await closed;
  }

  #add(name: 'output' | 'errors', chunk: Buffer): void {
    const current = this.#current;
    if (!current || !this.#isAlive) return;
    const { call, output, errors, resolve, reject } = current;
    current[name].push(chunk);
    const { args, maxBytes = MAX_BYTES } = call;
    if (output.size > maxBytes) return this.#kill(tooMuchOutput(args, maxBytes));
    if (output.status === undefined || errors.status === undefined) return;
    const content = output.content();
    if (output.status === 0) resolve(content);
    else reject(failedCall(args, errors.content().toString(), content));
  }

  #kill(reason: unknown): void {
    const { pid } = this.#child;
    if (pid !== undefined && this.#isAlive) signalGroup(pid, 'SIGKILL');
    this.#end(reason);
  }

  #end(reason: unknown): void {
    this.#isAlive = false;
    this.#current?.reject(reason);
  }
}

/** What a command writes to one stream, up to the mark with its exit code. */
class MarkedOutput {
  readonly #mark: string;
  readonly #most: number;
  readonly #pieces: Buffer[] = [];
  #end: Buffer = Buffer.alloc(0);
  #total = 0;
  #after = 0;
  /** The exit code of the command, once all of its output is there. */
  status: number | undefined;

  /** Of more than `most` bytes, only about the first of them are kept. */
  constructor(mark: string, most: number) {
    this.#mark = mark;
    this.#most = most;
  }

  /** The bytes that came, without the mark. */
  get size(): number {
    return this.#total - this.#after;
  }

  push(chunk: Buffer): void {
    if (this.#total < this.#most) this.#pieces.push(chunk);
    this.#total += chunk.length;
    // The mark, three digits and the line end.
    this.#end = Buffer.concat([this.#end, chunk]).subarray(-this.#mark.length - 4);
    const text = this.#end.toString('latin1');
    const at = text.lastIndexOf(this.#mark);
    if (at < 0 || !text.endsWith('\n')) return;
    this.#after = text.length - at;
    this.status = Number(text.slice(at + this.#mark.length));
  }

  content(): Buffer {
    return Buffer.concat(this.#pieces).subarray(0, this.size);
  }
}

/** One line of shell that runs the command and then writes the mark with its exit code to both streams. */
function commandLine({ program, args, cwd, env, umask, stdin = '' }: ShellCall, mark: string): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${quoted(value)}`);
  const command = [...variables, quoted(program), ...args.map(quoted)].join(' ');
  const input = Buffer.from(stdin);
  const git = input.length === 0 ? `${command} </dev/null` : `printf ${printable(input)} | ${command}`;
  // Nobody waits for a directory that the shell would stay in.
  return `umask ${umask.toString(8)}; cd ${quoted(cwd)} && ${git}; status=$?; cd /; echo ${mark}$status; echo ${mark}$status >&2\n`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Bytes as the argument of `printf` that writes them. */
const printable = (bytes: Buffer): string =>
  `'${bytes.toString('latin1').replaceAll(/[^\w/.]/g, (byte) => `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`)}'`;
