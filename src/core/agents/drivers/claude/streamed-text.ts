/** Text that comes as deltas, whole, or both: each part is passed on once. */
export class StreamedText {
  readonly #emit: (delta: string) => void;
  /** What was passed on of the message that is being streamed, and did not come whole yet. */
  #open = '';

  constructor(emit: (delta: string) => void) {
    this.#emit = emit;
  }

  get open(): string {
    return this.#open;
  }

  /** A new message begins: what is open of the last one was abandoned by the agent. */
  begin(): void {
    this.#open = '';
  }

  delta(text: string): void {
    this.#open += text;
    this.#emit(text);
  }

  whole(text: string): void {
    if (this.#open.startsWith(text)) {
      this.#open = this.#open.slice(text.length);
      return;
    }
    // An agent that goes on without streaming says the beginning again, or something else.
    const rest = text.startsWith(this.#open) ? text.slice(this.#open.length) : text;
    this.#open = '';
    this.#emit(rest);
  }
}
