import type { AgentCall, DriverFailure, TurnEnd } from '../driver.ts';
import { failure, noAnswer, textFailure } from './failure.ts';
import { type Fields, textOf } from './fields.ts';
import { isCounting, isUncounted } from './usage.ts';

/** Ends of a turn that are none of its task. */
const stops: ReadonlyMap<unknown, { code: string; message: string }> = new Map(
  Object.entries({
    refusal: { code: 'refused', message: 'The model refused to answer.' },
    max_tokens: {
      code: 'answer_too_long',
      message: 'The answer was cut off at the longest answer of the model.',
    },
    max_turn_requests: { code: 'max_turns', message: 'The agent reached its limit of model calls.' },
  }),
);
const unknownStop = {
  code: 'unknown_stop',
  message: 'The agent ended its turn without a reason that svc knows.',
};

/**
 * What happened in a turn, and what its end means. A bridge puts its own notices, such as warnings and errors, into the text
 * of the answer: each is whole, ends with an empty line, and has no message id, which the messages of the model have there.
 */
export class Turn {
  isCancelled = false;
  #text = '';
  /** Whether a model said any of it. */
  #hasAnswer = false;
  /** The notice that nothing has followed. */
  #lastNotice: string | undefined;
  #deniedAt: number | undefined;
  #hasChange = false;

  /** Takes a piece of a message, and the id of its message where the agent gives one. */
  say(text: string, messageId: unknown): void {
    const isNotice = messageId === undefined && text.endsWith('\n\n');
    this.#text += text;
    this.#lastNotice = isNotice ? text : undefined;
    this.#hasAnswer ||= text.trim() !== '' && !(isNotice && text.startsWith('Warning: '));
  }

  /** Notes a call; one that changed a file makes an answer unnecessary. */
  note({ kind, status }: AgentCall): void {
    if (kind === 'edit' && status === 'completed') this.#hasChange = true;
  }

  /** Notes that a call was not allowed: the turn is complete only with an answer after it. */
  deny(): void {
    this.#deniedAt = this.#text.length;
  }

  /** Judges the turn by the answer to its prompt. */
  end(answer: Fields): TurnEnd {
    const stop = textOf(answer['stopReason']);
    const isUnanswered = this.#deniedAt !== undefined && this.#text.slice(this.#deniedAt).trim() === '';
    if (this.isCancelled || (stop === 'cancelled' && this.#deniedAt === undefined)) return this.cancelled();
    if (stop === 'cancelled' || (stop === 'end_turn' && isUnanswered))
      return this.failed(
        failure(
          { class: 'policy_denied', code: 'permission_denied' },
          'A tool call was not allowed, and the agent stopped.',
        ),
      );
    if (isUncounted(answer)) return this.failed(textFailure(this.#text));
    const notice = isCounting(answer) ? textFailure(this.#lastNotice ?? '') : noAnswer;
    if (notice.code !== noAnswer.code) return this.failed(notice);
    if (stop !== 'end_turn') {
      const { code, message } = stops.get(stop) ?? unknownStop;
      return this.failed(failure({ class: 'agent_error', code }, message));
    }
    if (!this.#hasAnswer && !this.#hasChange)
      return this.failed(
        failure({ class: 'agent_error', code: 'empty' }, 'The agent gave no answer and changed nothing.'),
      );
    return { outcome: 'completed', text: this.#text };
  }

  failed(reason: DriverFailure): TurnEnd {
    return this.isCancelled ? this.cancelled() : { outcome: 'failed', text: this.#text, failure: reason };
  }

  cancelled(): TurnEnd {
    return { outcome: 'cancelled', text: this.#text };
  }
}
