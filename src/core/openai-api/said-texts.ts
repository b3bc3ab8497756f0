import type { TaskEvent } from '../../contract/task.ts';

/** Stands between what an agent says in one step and in the next. */
const GAP = '\n\n';
/** Differs from every step of an event, also from none. */
const newAttempt = Symbol('a new attempt');

/** The streams of an answer; the errors of a command are none of it. */
const answering: readonly unknown[] = ['text', 'stdout'];

/** What an agent says, or what its command prints, with a gap between steps and between attempts. */
export class SaidTexts {
  isEmpty = true;
  /** Where the output continues that is too long for events, in bytes; undefined where the last event has all of it. */
  cutAt: number | undefined;
  #step: unknown = newAttempt;

  /** The text that an event adds; empty where it adds none. */
  take({ type, message, data }: TaskEvent): string {
    this.cutAt = undefined;
    if (type === 'started') this.#step = newAttempt;
    if (type !== 'output' || !answering.includes(data['stream'])) return '';
    if (data['truncated'] === true) {
      this.cutAt = Number(data['offset']);
      return '';
    }
    if (message === '') return '';
    const isNewStep = !this.isEmpty && data['step'] !== this.#step;
    this.#step = data['step'];
    this.isEmpty = false;
    return isNewStep ? `${GAP}${message}` : message;
  }
}
