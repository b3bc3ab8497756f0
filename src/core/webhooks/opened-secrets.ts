import type { SecretBox } from '../secrets/secret-box.ts';

const MAX_KEPT = 2000;

/** Opens sealed secrets and keeps those last used, because opening one costs as much as signing a delivery. */
export class OpenedSecrets {
  readonly #box: Pick<SecretBox, 'open'>;
  /** By sealed text, which is another one after each change of the secret, and its context. */
  readonly #opened = new Map<string, string>();

  constructor(box: Pick<SecretBox, 'open'>) {
    this.#box = box;
  }

  /** Throws where `SecretBox.open` does. */
  open(sealed: string, context: string): string {
    const key = `${context}\0${sealed}`;
    let secret = this.#opened.get(key);
    if (secret === undefined) {
      secret = this.#box.open(sealed, context);
      const [oldest] = this.#opened.keys();
      if (this.#opened.size >= MAX_KEPT && oldest !== undefined) this.#opened.delete(oldest);
      this.#opened.set(key, secret);
    }
    return secret;
  }
}
