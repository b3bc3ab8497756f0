const BATCH_MS = 100;
const BATCH_CHARACTERS = 16_384;

/**
 * Joins pieces of text that arrive close together, so that frequent output causes few events. The first piece after a
 * pause is sent at once, because people wait for it.
 */
export class TextBatcher {
  readonly #send: (text: string) => void;
  #pieces: string[] = [];
  #length = 0;
  /** Runs for one interval after each batch. */
  #timer: NodeJS.Timeout | undefined;

  constructor(send: (text: string) => void) {
    this.#send = send;
  }

  push(text: string): void {
    this.#pieces.push(text);
    this.#length += text.length;
    if (!this.#timer || this.#length >= BATCH_CHARACTERS) this.#release();
  }

  /** Sends what waits; the next piece is then the first again. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#length === 0) return;
    const text = this.#pieces.join('');
    this.#pieces = [];
    this.#length = 0;
    this.#send(text);
  }

  #release(): void {
    if (this.#length === 0) return;
    this.flush();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#release();
    }, BATCH_MS);
  }
}
