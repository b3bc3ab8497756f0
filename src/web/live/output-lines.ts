import type { TaskEvent } from '../../contract/task.ts';

/** Where a line comes from; `note` is said by this page. */
export type LineStream = 'text' | 'stdout' | 'stderr' | 'note';

export interface LogLine {
  /** From 1; the rows of a line that is too long for one have the same number, and a note has none. */
  number: number;
  text: string;
  stream: LineStream;
  /** Whether it is the rest of the line of the row before. */
  isContinued: boolean;
}

/** What a page keeps: more would only cost memory, and the daemon has all of it. */
export interface OutputLimits {
  rows: number;
  characters: number;
}
const LIMITS: OutputLimits = { rows: 100_000, characters: 16_000_000 };
/** More characters in one row make a browser slow. */
const LONGEST = 4000;
/** Escape sequences are shorter. */
const SEQUENCE = 32;
/** Select graphic rendition, after its escape character. */
const colors = /^\[([\d;]*)m/;

/** The output of a task as rows, in the order in which it came. */
export class OutputLines {
  readonly rows: LogLine[] = [];
  /** Rows that are not kept any more. */
  dropped = 0;
  hasStdout = false;
  hasStderr = false;
  /** The number of lines so far. */
  count = 0;
  readonly #limits: OutputLimits;
  #characters = 0;
  /** Where a stream is in the middle of a line, as the number of the row from the beginning. */
  readonly #open = new Map<LineStream, number>();
  /** The colors that are on at the end of the last line of a stream. */
  readonly #colors = new Map<LineStream, string>();
  #step: unknown;

  constructor(limits: OutputLimits = LIMITS) {
    this.#limits = limits;
  }

  add({ message, data }: Pick<TaskEvent, 'message' | 'data'>): void {
    const { stream } = data;
    const from = stream === 'stdout' || stream === 'stderr' ? stream : 'text';
    // The next step of a model is a new paragraph.
    if (from === 'text' && data['step'] !== this.#step) this.#close('text');
    this.#step = data['step'];
    if (from === 'stdout') this.hasStdout = true;
    if (from === 'stderr') this.hasStderr = true;
    const parts = message.split('\n');
    for (const [at, part] of parts.entries()) {
      if (part !== '') this.#extend(from, part);
      if (at < parts.length - 1) this.#end(from);
    }
    this.#trim();
  }

  /** A line of this page. */
  note(text: string): void {
    for (const stream of this.#open.keys()) this.#close(stream);
    this.#colors.clear();
    this.#push({ number: 0, text, stream: 'note', isContinued: false });
  }

  /** The first row that may still change. */
  get firstOpen(): number {
    return Math.min(this.rows.length, ...[...this.#open.values()].map((row) => row - this.dropped));
  }

  #extend(stream: LineStream, part: string): void {
    const at = (this.#open.get(stream) ?? -1) - this.dropped;
    const open = this.rows[at];
    // A line into which another stream wrote is not broken anew.
    const isLast = at === this.rows.length - 1;
    if (open && (isLast || open.text.length + part.length <= LONGEST)) {
      this.#characters -= open.text.length;
      const [first = '', ...rest] = pieces(open.text + part);
      this.#characters += first.length;
      this.rows[at] = { ...open, text: first };
      for (const text of rest) this.#push({ ...open, text, isContinued: true });
      if (rest.length > 0) this.#open.set(stream, this.dropped + this.rows.length - 1);
      return;
    }
    const number = open ? open.number : ++this.count;
    const [first = '', ...rest] = pieces((open ? '' : (this.#colors.get(stream) ?? '')) + part);
    this.#push({ number, text: first, stream, isContinued: open !== undefined });
    for (const text of rest) this.#push({ number, text, stream, isContinued: true });
    this.#open.set(stream, this.dropped + this.rows.length - 1);
  }

  /** A line feed. */
  #end(stream: LineStream): void {
    if (this.#open.has(stream)) this.#close(stream);
    else this.#push({ number: ++this.count, text: '', stream, isContinued: false });
  }

  #close(stream: LineStream): void {
    const at = this.#open.get(stream);
    if (at === undefined) return;
    const text = this.rows[at - this.dropped]?.text ?? '';
    if (text.includes('\u001b')) this.#colors.set(stream, lasting(text));
    this.#open.delete(stream);
  }

  #push(row: LogLine): void {
    this.rows.push(row);
    this.#characters += row.text.length;
  }

  /** A tenth at once, since each removal moves all rows. */
  #trim(): void {
    const { rows, characters } = this.#limits;
    if (this.rows.length <= rows && this.#characters <= characters) return;
    let count = 0;
    let left = this.#characters;
    while (count < this.rows.length - 1 && (this.rows.length - count > rows * 0.9 || left > characters * 0.9))
      left -= this.rows[count++]?.text.length ?? 0;
    this.rows.splice(0, count);
    this.#characters = left;
    this.dropped += count;
    for (const [stream, at] of this.#open) if (at < this.dropped) this.#open.delete(stream);
  }
}

/** The text in rows of bearable length, not broken within a character or an escape sequence. */
function pieces(text: string): string[] {
  if (text.length <= LONGEST) return [text];
  const found: string[] = [];
  let from = 0;
  while (text.length - from > LONGEST) {
    let to = from + LONGEST;
    const escape = text.lastIndexOf('\u001b', to);
    if (escape > to - SEQUENCE && escape > from) to = escape;
    else if (/[\ud800-\udbff]/.test(text.charAt(to - 1))) to--;
    found.push(text.slice(from, to));
    from = to;
  }
  return [...found, text.slice(from)];
}

/** The color sequences that are still in force at the end of a text. */
function lasting(text: string): string {
  let on: string[] = [];
  for (const part of text.split('\u001b')) {
    const [sequence, codes] = colors.exec(part) ?? [];
    if (sequence === undefined || codes === undefined) continue;
    if (/^0*$/.test(codes)) on = [];
    else on.push(`\u001b${sequence}`);
  }
  return on.slice(-4).join('');
}
