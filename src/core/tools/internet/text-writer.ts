/** Deeper levels get the margin of these, so that margins cannot inflate a page. */
const MAX_QUOTES = 5;
const MAX_INDENT = 10;

/** Builds lines and paragraphs from words, each with its margin. */
export class TextWriter {
  /** The number of quotes and lists around the current position. */
  quotes = 0;
  indent = 0;
  readonly #pieces: string[] = [];
  #length = 0;
  #newlines = 0;
  /** The number of quotes around the previous line. */
  #quotesBefore = 0;
  /** The prefix of the next line, such as the bullet of a list; written with its first word. */
  #marker: { text: string; margin: string } | undefined;

  get length(): number {
    return this.#length;
  }

  get isAtLineStart(): boolean {
    return this.#pieces.length === 0 || this.#newlines > 0 || this.#marker !== undefined;
  }

  /** Writes words; collapses white space to one blank. */
  write(text: string): void {
    const words = text.replaceAll(/\s+/g, ' ');
    const isAfterBlank = this.isAtLineStart || this.#pieces.at(-1)?.endsWith(' ');
    const next = isAfterBlank && words.startsWith(' ') ? words.slice(1) : words;
    if (next === '') return;
    this.#startLine();
    this.#push(next);
  }

  /** Writes lines unchanged. */
  verbatim(text: string): void {
    this.#startLine();
    this.#push(text.replaceAll('\n', `\n${this.#margin()}`));
  }

  /** Makes the next word start a new line, or with 2 a new paragraph. */
  break(newlines: 1 | 2): void {
    if (this.#marker === undefined && this.#pieces.length > 0)
      this.#newlines = Math.max(this.#newlines, newlines);
  }

  /** Adds a prefix to the next line. */
  mark(text: string): void {
    this.#marker = {
      text: `${this.#marker?.text ?? ''}${text}`,
      margin: this.#marker?.margin ?? this.#margin(),
    };
  }

  /** Drops a prefix that no word followed. */
  unmark(): void {
    this.#marker = undefined;
  }

  finish(): string {
    return this.#pieces.join('').trim();
  }

  #startLine(): void {
    if (!this.isAtLineStart) return;
    const { text = '', margin = this.#margin() } = this.#marker ?? {};
    if (this.#newlines > 0) {
      this.#dropBlank();
      const between = '> '.repeat(Math.min(this.#quotesBefore, this.#quoteDepth())).trimEnd();
      this.#push(this.#newlines === 2 ? `\n${between}\n` : '\n');
    }
    this.#push(`${margin}${text}`);
    this.#newlines = 0;
    this.#quotesBefore = this.#quoteDepth();
    this.#marker = undefined;
  }

  #dropBlank(): void {
    const last = this.#pieces.pop() ?? '';
    this.#pieces.push(last.endsWith(' ') ? last.slice(0, -1) : last);
  }

  #margin(): string {
    return '> '.repeat(this.#quoteDepth()) + '  '.repeat(Math.min(this.indent, MAX_INDENT));
  }

  #quoteDepth(): number {
    return Math.min(this.quotes, MAX_QUOTES);
  }

  #push(piece: string): void {
    this.#pieces.push(piece);
    this.#length += piece.length;
  }
}
