import type { RunEventInput } from '../../contract/run-events.ts';
import { withoutSecrets } from '../tools/mcp/mcp-secrets.ts';

/** Events of a run without the secrets that its agent was given, also where one comes in pieces. */
export class MaskedEvents {
  readonly #secrets: readonly string[];
  readonly #sink: (event: RunEventInput) => void;
  /** The event that holds back the beginning of what may be a secret. */
  #held: Extract<RunEventInput, { type: 'text:delta' }> | undefined;

  constructor(secrets: readonly string[], sink: (event: RunEventInput) => void) {
    this.#secrets = secrets;
    this.#sink = sink;
  }

  add(event: RunEventInput): void {
    if (this.#secrets.length === 0) return this.#sink(event);
    if (event.type !== 'text:delta') {
      this.flush();
      return this.#sink(this.#mask(event));
    }
    const text = withoutSecrets((this.#held?.data.delta ?? '') + event.data.delta, this.#secrets);
    const keep = this.#begunIn(text);
    this.#held = { ...event, data: { ...event.data, delta: text.slice(text.length - keep) } };
    if (keep === 0) this.#held = undefined;
    if (keep < text.length)
      this.#sink({ ...event, data: { ...event.data, delta: text.slice(0, text.length - keep) } });
  }

  /** Publishes what was held back. */
  flush(): void {
    const held = this.#held;
    this.#held = undefined;
    if (held) this.#sink(held);
  }

  /** A text without the secrets. */
  text(text: string): string {
    return withoutSecrets(text, this.#secrets);
  }

  #mask(event: RunEventInput): RunEventInput {
    return JSON.parse(JSON.stringify(event), (_, value: unknown) =>
      typeof value === 'string' ? this.text(value) : value,
    ) as RunEventInput;
  }

  /** How many characters at the end of a text are the beginning of a secret. */
  #begunIn(text: string): number {
    let longest = 0;
    for (const secret of this.#secrets)
      for (let length = Math.min(secret.length - 1, text.length); length > longest; length--)
        if (text.endsWith(secret.slice(0, length))) longest = length;
    return longest;
  }
}
