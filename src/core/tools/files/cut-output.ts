import { MAX_OUTPUT } from '../tool.ts';

/** Room for the line that says what was left out. */
const MARKER_ROOM = 300;

/** Lines of an answer until it is full. */
export class OutputLines {
  readonly lines: string[] = [];
  #room = MAX_OUTPUT - MARKER_ROOM;

  /** Takes a line if it fits; false once it does not. */
  add(line: string): boolean {
    if (line.length + 1 > this.#room) {
      this.#room = 0;
      return false;
    }
    this.#room -= line.length + 1;
    this.lines.push(line);
    return true;
  }

  /** The lines, and below them what the model should know about what is missing. */
  end(...notes: (string | false | undefined)[]): string {
    const said = notes.filter((note) => typeof note === 'string').map((note) => `(${note})`);
    // A line may be cut within a character.
    return [...this.lines, ...said].join('\n').toWellFormed();
  }
}

/** The beginning of a long line, with its length. */
export const cutLine = (line: string, length: number, max: number): string =>
  length <= max ? line : `${line.slice(0, max)}… (cut, the line has ${length} characters)`;
