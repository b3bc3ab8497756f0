/** Calls back after a time without a sign of life; it stands still while the run has a reason to be silent. */
export class SilenceTimer {
  readonly #limitMs: number;
  readonly #isExcused: () => boolean;
  readonly #onSilence: () => void;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor({
    limitMs,
    isExcused,
    onSilence,
  }: {
    limitMs: number;
    /** A tool call or an open question. */
    isExcused: () => boolean;
    onSilence: () => void;
  }) {
    this.#limitMs = limitMs;
    this.#isExcused = isExcused;
    this.#onSilence = onSilence;
    this.touch();
  }

  /** A sign of life. */
  touch(): void {
    if (this.#isOver) return;
    if (this.#timer) this.#timer.refresh();
    else
      this.#timer = setTimeout(() => (this.#isExcused() ? this.touch() : this.#onSilence()), this.#limitMs);
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }
}
