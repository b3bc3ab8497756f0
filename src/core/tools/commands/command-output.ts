import { constants } from 'node:os';
import { OutputCapture } from '../../processes/output-capture.ts';
import type { Exit, OutputName } from '../../processes/run-program.ts';

/** A line that is longer is shown in pieces. */
const MAX_LINE_BYTES = 8192;
const LINE_FEED = 10;

/** Both outputs of a command in one text, line by line in the order in which they came, each part under its name. */
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
    // A copy: the chunk itself belongs to a buffer that would stay alive as a whole.
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

/** How a command ended, in words for the model. */
export function sayExit(exit: Exclude<Exit, { error: Error }>): string {
  const signal = exit.signal ?? signalOf(exit.code ?? 0);
  if (exit.signal) return `Ended by ${exit.signal}`;
  return signal === undefined ? `Exit code ${exit.code}` : `Exit code ${exit.code} (ended by ${signal})`;
}

/** Programs that start others tell of a signal by 128 and its number. */
const signalOf = (code: number): string | undefined =>
  code > 128 ? Object.entries(constants.signals).find(([, value]) => value === code - 128)?.[0] : undefined;
