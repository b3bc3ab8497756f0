/** Deeper ones look like these: a page must not blow up by its margins. */
const MAX_QUOTES = 5;
const MAX_INDENT = 10;

/** Puts words together to lines and paragraphs, each with its margin. */
export class TextWriter {
  /** How many quotes and lists are around what is written. */
  quotes = 0;
  indent = 0;
  readonly #pieces: string[] = [];
  #length = 0;
  #newlines = 0;
  /** The quotes around the line before. */
  #quotesBefore = 0;
  /** What the next line begins with, such as the dot of a list; it comes with the first word. */
  #marker: { text: string; margin: string } | undefined;

  get length(): number {
    return this.#length;
  }

  get isAtLineStart(): boolean {
    return this.#pieces.length === 0 || this.#newlines > 0 || this.#marker !== undefined;
  }

  /** Words; white space of any length is one blank. */
  write(text: string): void {
    const words = text.replaceAll(/\s+/g, ' ');
    const isAfterBlank = this.isAtLineStart || this.#pieces.at(-1)?.endsWith(' ');
    const next = isAfterBlank && words.startsWith(' ') ? words.slice(1) : words;
    if (next === '') return;
    this.#startLine();
    this.#push(next);
  }

  /** Lines as they are. */
  verbatim(text: string): void {
    this.#startLine();
    this.#push(text.replaceAll('\n', `\n${this.#margin()}`));
  }

  /** The next word begins a new line, or with 2 a new paragraph. */
  break(newlines: 1 | 2): void {
    if (this.#marker === undefined && this.#pieces.length > 0)
      this.#newlines = Math.max(this.#newlines, newlines);
  }

  mark(text: string): void {
    this.#marker = {
      text: `${this.#marker?.text ?? ''}${text}`,
      margin: this.#marker?.margin ?? this.#margin(),
    };
  }

  /** Forgets a marker that no word came after. */
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
