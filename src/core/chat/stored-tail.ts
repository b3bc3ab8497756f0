import type { RunEvent } from '../../contract/run-events.ts';

/** What is left of the stored events of a run after those that were delivered live, whose texts are cut elsewhere. */
export class StoredTail {
  readonly #left = { events: 0, text: 0, thoughts: 0 };

  /** Counts an event that was delivered. */
  delivered(event: RunEvent): void {
    if (event.type === 'text:delta') this.#left.text += event.data.delta.length;
    else if (event.type === 'thinking:update') this.#left.thoughts += event.data.text.length;
    // The task has no event of it.
    else if (event.type !== 'user_message') this.#left.events++;
  }

  /** The part of the next stored event that was not delivered. */
  rest(event: RunEvent): RunEvent | undefined {
    if (event.type === 'text:delta') {
      const delta = this.#cut('text', event.data.delta);
      return delta === '' ? undefined : { ...event, data: { ...event.data, delta } };
    }
    if (event.type === 'thinking:update') {
      const text = this.#cut('thoughts', event.data.text);
      return text === '' ? undefined : { ...event, data: { ...event.data, text } };
    }
    if (this.#left.events === 0) return event;
    this.#left.events--;
    return undefined;
  }

  #cut(kind: 'text' | 'thoughts', text: string): string {
    const cut = Math.min(text.length, this.#left[kind]);
    this.#left[kind] -= cut;
    return text.slice(cut);
  }
}
