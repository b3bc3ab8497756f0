import { setImmediate } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { render } from 'ink-testing-library';
import type { ReactElement } from 'react';

/** Less than a test may take, so that it ends with what was on the screen. */
const PATIENCE_MS = 20_000;
const EFFECT_ROUNDS = 3;

/** A component on a terminal that is not there. */
export class Rendered implements Disposable {
  readonly #instance: ReturnType<typeof render>;
  readonly #waiting = new Set<() => void>();

  constructor(tree: ReactElement, size: { columns: number; rows: number }) {
    this.#instance = render(tree);
    const { stdout } = this.#instance;
    const write = stdout.write;
    stdout.write = (frame) => {
      write(frame);
      for (const check of this.#waiting) check();
    };
    this.resize(size);
  }

  [Symbol.dispose](): void {
    this.#instance.unmount();
    this.#instance.cleanup();
  }

  resize({ columns, rows }: { columns: number; rows: number }): void {
    const { stdout } = this.#instance;
    Object.defineProperties(stdout, {
      columns: { value: columns, configurable: true },
      rows: { value: rows, configurable: true },
    });
    stdout.emit('resize');
  }

  type(keys: string): void {
    this.#instance.stdin.write(keys);
  }

  get screen(): string {
    return stripVTControlCharacters(this.#instance.lastFrame() ?? '');
  }
  get rows(): string[] {
    return this.screen.split('\n');
  }
  /** Everything that was written to the terminal. */
  get written(): string {
    return this.#instance.frames.join('');
  }
  get frames(): number {
    return this.#instance.frames.length;
  }

  /** Resolves with the screen once it matches. */
  async until(pattern: RegExp): Promise<string> {
    if (!pattern.test(this.screen)) await this.#drawn(pattern);
    // What is new on the screen listens to keys only once its effects have run.
    for (let round = 0; round < EFFECT_ROUNDS; round++) await setImmediate();
    return this.screen;
  }

  async #drawn(pattern: RegExp): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const check = () => {
      if (pattern.test(this.screen)) resolve();
    };
    this.#waiting.add(check);
    const fail = () => reject(new Error(`It never matched ${pattern}:\n${this.screen}`));
    const deadline = setTimeout(fail, PATIENCE_MS);
    try {
      await promise;
    } finally {
      clearTimeout(deadline);
      this.#waiting.delete(check);
    }
  }
}

export const keys = {
  enter: '\r',
  escape: '\u001b',
  up: '\u001b[A',
  down: '\u001b[B',
  pageUp: '\u001b[5~',
  pageDown: '\u001b[6~',
  tab: '\t',
  backspace: '\u007f',
  control: (letter: string) => String.fromCharCode(letter.charCodeAt(0) - 96),
};
