import { MAX_OUTPUT } from '../tool.ts';

/** The characters reserved for notes on what was left out. */
const MARKER_ROOM = 300;

/** Collects lines of output until its size limit is reached. */
export class OutputLines {
  readonly lines: string[] = [];
  #room = MAX_OUTPUT - MARKER_ROOM;

  /** Adds a line if it fits; returns false once the output is full. */
  add(line: string): boolean {
    if (line.length + 1 > this.#room) {
      this.#room = 0;
      return false;
    }
    this.#room -= line.length + 1;
    this.lines.push(line);
    return true;
  }

  /** Returns the lines, followed by notes for the model on what is missing. */
  finish(...notes: (string | false | undefined)[]): string {
    const noteLines = notes.filter((note) => typeof note === 'string').map((note) => `(${note})`);
    // A line may be cut inside a surrogate pair.
    return [...this.lines, ...noteLines].join('\n').toWellFormed();
  }
}

/** Truncates a long line and appends its length. */
export const cutLine = (line: string, length: number, max: number): string =>
  length <= max ? line : `${line.slice(0, max)}… (cut, the line has ${length} characters)`;
