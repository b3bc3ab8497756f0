import type { Platform } from '../../contract/locations.ts';
import { escapeLine, escapeText } from './escape-text.ts';
import type { FieldSelection } from './select-fields.ts';
import { type Column, formatTable } from './table.ts';

const { styleText } = process.getBuiltinModule('node:util');

type Style = Parameters<typeof styleText>[0];
export type Paint = (style: Style, text: string) => string;

/** What shows on stderr that a command works, and can leave the line to something more urgent for a while. */
export interface Activity {
  pause(): void;
  resume(): void;
}

/** The output of a command: data on stdout, everything else on stderr. */
export class Output {
  readonly #stdout: NodeJS.WriteStream;
  readonly #stderr: NodeJS.WriteStream;
  readonly #closed = new AbortController();
  readonly paint: Paint;
  readonly paintError: Paint;
  /** True where spinners and colours are welcome on stderr. */
  readonly isLively: boolean;
  /** What `--fields` picks of everything that is printed as JSON. */
  selection: FieldSelection | undefined;
  /** What writes to the last line of stderr at the moment. */
  activity: Activity | undefined;
  readonly #origins = new WeakMap<object, string>();

  constructor(streams: { stdout: NodeJS.WriteStream; stderr: NodeJS.WriteStream }, env: Platform['env']) {
    this.#stdout = streams.stdout;
    this.#stderr = streams.stderr;
    const isPlain = Boolean(env['NO_COLOR']) || Boolean(env['CI']) || env['TERM'] === 'dumb';
    const painter = (isOn: boolean): Paint =>
      isOn ? (style, text) => styleText(style, text, { validateStream: false }) : (_, text) => text;
    this.paint = painter(!isPlain && this.isTerminal);
    this.paintError = painter(!isPlain && this.isErrorTerminal);
    this.isLively = this.isErrorTerminal && !env['CI'] && env['TERM'] !== 'dumb';
    for (const stream of [this.#stdout, this.#stderr])
      stream.on('error', (error: NodeJS.ErrnoException) => {
        // The reader has closed the pipe, as `head` does.
        if (error.code !== 'EPIPE') throw error;
        if (stream === this.#stdout) this.#closed.abort();
      });
  }

  get isTerminal(): boolean {
    return this.#stdout.isTTY === true;
  }
  get isErrorTerminal(): boolean {
    return this.#stderr.isTTY === true;
  }
  /** The maximum width of a line; unlimited unless stdout is a terminal. */
  get width(): number {
    // A terminal of unknown size reports 0.
    return this.isTerminal ? this.#stdout.columns || 80 : Number.POSITIVE_INFINITY;
  }
  get errorStream(): NodeJS.WriteStream {
    return this.#stderr;
  }
  /** Aborts when the reader of stdout has gone. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Writes data to stdout as it is. */
  write(text: string): void {
    if (!this.closed.aborted) this.#stdout.write(text);
  }
  /** Writes bytes to stdout as they are; resolves once more can be taken. */
  async bytes(piece: Uint8Array): Promise<void> {
    if (this.closed.aborted || this.#stdout.write(piece)) return;
    await Promise.race([
      new Promise((resolve) => this.#stdout.once('drain', resolve)),
      new Promise((resolve) => this.closed.addEventListener('abort', resolve, { once: true })),
    ]);
  }
  /** Writes text that holds data to stdout; on a terminal its control characters are made visible. */
  text(text: string): void {
    this.write(this.isTerminal ? escapeText(text) : text);
  }
  /** The same for data that is one line, such as a path. */
  line(text: string): void {
    this.write(`${this.isTerminal ? escapeLine(text) : text}\n`);
  }
  json(value: unknown): void {
    this.write(`${JSON.stringify(this.#selected(value), null, 2)}\n`);
  }
  jsonLine(value: unknown): void {
    this.write(`${JSON.stringify(this.#selected(value))}\n`);
  }
  /** Notes which route answered with this object, so that its fields are known. */
  noteOrigin(value: object, route: string): void {
    if (this.selection) this.#origins.set(value, route);
  }
  #selected(value: unknown): unknown {
    if (!this.selection) return value;
    const isObject = typeof value === 'object' && value !== null;
    return this.selection.of(value, isObject ? this.#origins.get(value) : undefined);
  }
  table<T>(columns: Column<T>[], rows: readonly T[]): void {
    this.write(
      formatTable(columns, rows, { width: this.width, paintTitle: (title) => this.paint('dim', title) }),
    );
  }
  /** Writes one line for a person to stderr. */
  note(line: string): void {
    this.#stderr.write(`${line}\n`);
  }
}
