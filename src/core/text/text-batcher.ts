const BATCH_MS = 100;
const BATCH_CHARACTERS = 16_384;

/** Joins pieces of text that arrive close together, so that frequent output causes few events. */
export class TextBatcher {
  readonly #send: (text: string) => void;
  #pieces: string[] = [];
  #length = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(send: (text: string) => void) {
    this.#send = send;
  }

  push(text: string): void {
    this.#pieces.push(text);
    this.#length += text.length;
    if (this.#length >= BATCH_CHARACTERS) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), BATCH_MS);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#length === 0) return;
    const text = this.#pieces.join('');
    this.#pieces = [];
    this.#length = 0;
    this.#send(text);
  }
}
