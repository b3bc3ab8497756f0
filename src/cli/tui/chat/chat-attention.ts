import type { Cli } from '../../program/cli.ts';
import { callAttention } from '../../output/call-attention.ts';
import { isRunning, type RunState } from '../parts/run-state.ts';
import { attentionReason } from './attention-reason.ts';

/** Calls the person when the chat needs them, judging by the changes of what is shown. */
export class ChatAttention {
  readonly #cli: Pick<Cli, 'output' | 'platform'>;
  readonly #clock: () => number;
  #seenAt: number;
  #withdraw: () => void = () => undefined;

  /** `clock` answers milliseconds and only goes forward. */
  constructor(cli: Pick<Cli, 'output' | 'platform'>, clock: () => number) {
    this.#cli = cli;
    this.#clock = clock;
    this.#seenAt = clock();
  }

  update(before: RunState, after: RunState): void {
    if (hasActed(before, after)) {
      this.#seenAt = this.#clock();
      this.#withdraw();
    }
    const reason = attentionReason(before, after);
    if (reason === undefined) return;
    this.#withdraw();
    this.#withdraw = callAttention(this.#cli, reason, this.#clock() - this.#seenAt);
  }
}

/** Whether the person has just sent a message or decided an approval. */
function hasActed(before: RunState, after: RunState): boolean {
  const [asked] = before.approvals;
  const isDecided = asked !== undefined && after.approvals[0]?.id !== asked.id;
  return isRunning(after) && (isDecided || !isRunning(before));
}
