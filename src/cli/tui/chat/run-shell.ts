import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';

const HEAD_CHARACTERS = 8_000;
const TAIL_CHARACTERS = 24_000;

export interface ShellResult {
  /** What it printed, without colours; of long output the beginning and the end. */
  output: string;
  /** How it ended, unless well. */
  failure: string | undefined;
}

/** Runs a command of the user in their shell, with no input, and reports what it prints as it comes. */
export function runShell(
  command: string,
  {
    shell,
    folder,
    signal,
    onOutput,
  }: { shell: string; folder: string; signal: AbortSignal; onOutput: (text: string) => void },
): Promise<ShellResult> {
  return new Promise((resolve) => {
    const collected = new BoundedText();
    // A group of its own, so that what it started is stopped with it.
    const child = spawn(shell, ['-c', command], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const stop = () => {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
    };
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        onOutput(text);
        collected.add(text);
      });
    const finish = (failure: string | undefined) => {
      signal.removeEventListener('abort', stop);
      resolve({ output: cleanOutput(collected.text), failure });
    };
    signal.addEventListener('abort', stop, { once: true });
    child.once('error', (error) => finish(`could not start: ${error.message}`));
    child.once('close', (code, name) =>
      finish(name === null ? (code === 0 ? undefined : `exit code ${code}`) : `stopped by ${name}`),
    );
  });
}

const cleanOutput = (text: string) =>
  stripVTControlCharacters(text)
    .replaceAll('\r\n', '\n')
    .replaceAll(/(?<![^\n])[^\n]*\r(?=[^\n])/g, '');

/** Keeps the beginning and the end of a text, and says how much was between them. */
export class BoundedText {
  #head = '';
  #tail = '';
  #omitted = 0;

  add(text: string): void {
    const room = HEAD_CHARACTERS - this.#head.length;
    this.#head += text.slice(0, Math.max(0, room));
    const tail = this.#tail + text.slice(Math.max(0, room));
    const over = Math.max(0, tail.length - TAIL_CHARACTERS);
    this.#omitted += over;
    this.#tail = tail.slice(over);
  }

  get text(): string {
    if (this.#omitted === 0) return this.#head + this.#tail;
    return `${this.#head}\n[… ${this.#omitted} characters are omitted …]\n${this.#tail}`;
  }
}
