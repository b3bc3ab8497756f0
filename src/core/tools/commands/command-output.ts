import { constants } from 'node:os';
import { OutputCapture } from '../../processes/output-capture.ts';
import type { OutputName } from '../../../contract/task-output.ts';
import type { Exit } from '../../processes/start-program.ts';

/** Longer lines are written in pieces. */
const MAX_LINE_BYTES = 8192;
const LINE_FEED = 10;

/** Joins both outputs of a command, line by line in order of arrival, with a heading where the stream changes. */
export class CommandOutput {
  readonly #capture: OutputCapture;
  readonly #rests: Record<OutputName, Buffer[]> = { stdout: [], stderr: [] };
  readonly #restBytes: Record<OutputName, number> = { stdout: 0, stderr: 0 };
  #last: OutputName | undefined;
  #isLineOpen = false;
  constructor(limitBytes: number) {
    this.#capture = new OutputCapture({ limitBytes });
  }

  push(chunk: Buffer, name: OutputName): void {
    const end = chunk.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) {
      this.#flush(name);
      this.#write(chunk.subarray(0, end), name);
    }
    if (end === chunk.length) return;
    // Copied, because the chunk would keep its whole underlying buffer alive.
    this.#rests[name].push(Buffer.from(chunk.subarray(end)));
    this.#restBytes[name] += chunk.length - end;
    if (this.#restBytes[name] > MAX_LINE_BYTES) this.#flush(name);
  }

  finish(): string {
    this.#flush('stdout');
    this.#flush('stderr');
    return this.#capture.finish();
  }

  #flush(name: OutputName): void {
    const rest = Buffer.concat(this.#rests[name]);
    this.#rests[name] = [];
    this.#restBytes[name] = 0;
    if (rest.length > 0) this.#write(rest, name);
  }

  #write(bytes: Buffer, name: OutputName): void {
    if (this.#last !== name) {
      this.#capture.push(Buffer.from(`${this.#isLineOpen ? '\n' : ''}[${name}]\n`));
      this.#last = name;
    }
    this.#capture.push(bytes);
    this.#isLineOpen = bytes.at(-1) !== LINE_FEED;
  }
}

/** Describes how a command exited, for the model. */
export function formatExit(exit: Exclude<Exit, { error: Error }>): string {
  const signal = exit.signal ?? signalOf(exit.code ?? 0);
  if (exit.signal) return `Terminated by ${exit.signal}`;
  return signal === undefined ? `Exit code ${exit.code}` : `Exit code ${exit.code} (terminated by ${signal})`;
}

/** Shells report a child that was killed by a signal as 128 plus the signal number. */
const signalOf = (code: number): string | undefined =>
  code > 128 ? Object.entries(constants.signals).find(([, value]) => value === code - 128)?.[0] : undefined;
