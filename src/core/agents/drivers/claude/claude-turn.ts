import type { AgentCall, AgentExit, TurnEnd } from '../driver.ts';
import {
  deniedWithoutAnswer,
  emptyAnswer,
  failureOfExit,
  failureOfResult,
  type SeenTrouble,
} from './claude-failure.ts';
import { type Fields, fieldsList, idOf, text } from './claude-messages.ts';

/** One turn: gathers what decides whether it succeeded, and judges its end. */
export class ClaudeTurn {
  readonly end: Promise<TurnEnd>;
  /** What the lines said of a failure so far. */
  readonly trouble: SeenTrouble = {};
  isCancelled = false;
  #resolve: (end: TurnEnd) => void = () => undefined;
  #text = '';
  #hasChange = false;
  /** Counts what happened, to know what came later. */
  #now = 0;
  #answeredAt = 0;
  readonly #finishedAt = new Map<string, number>();
  readonly #denied = new Set<string>();

  constructor() {
    this.end = new Promise((resolve) => (this.#resolve = resolve));
  }

  /** Whether nothing was said, neither by the model nor in its place. */
  get isSilent(): boolean {
    return this.#text === '';
  }

  /** Text of the main agent; `isAnswer` is false for what the CLI says in the model's place. */
  say(part: string, isAnswer: boolean): void {
    this.#text += part;
    if (isAnswer && part.trim() !== '') this.#answeredAt = ++this.#now;
  }

  finishCall(call: AgentCall): void {
    this.#finishedAt.set(call.id, ++this.#now);
    if (call.kind === 'edit' && call.status === 'completed') this.#hasChange = true;
  }

  deny(callId: string): void {
    this.#denied.add(callId);
    this.#finishedAt.set(callId, ++this.#now);
  }

  /** Ends the turn as its `result` says. */
  finish(result: Fields): void {
    this.#resolve(this.#judge(result));
  }

  /** Ends the turn with its program; `open` is the text that was still being streamed. */
  close(exit: AgentExit, detail: string, open: string): void {
    const said = this.#text + open;
    this.#resolve(
      this.isCancelled
        ? { outcome: 'cancelled', text: said }
        : { outcome: 'failed', text: said, failure: failureOfExit(exit, detail) },
    );
  }

  #judge(result: Fields): TurnEnd {
    const said = this.#text;
    if (this.isCancelled || text(result['terminal_reason'])?.startsWith('aborted_'))
      return { outcome: 'cancelled', text: said };
    for (const denial of fieldsList(result['permission_denials']))
      this.#denied.add(idOf(denial['tool_use_id']) ?? '');
    const deniedAt = Math.max(-1, ...[...this.#denied].map((id) => this.#finishedAt.get(id) ?? 0));
    const failure =
      failureOfResult(result, this.trouble) ??
      (deniedAt >= this.#answeredAt ? deniedWithoutAnswer : undefined) ??
      (this.#answeredAt === 0 && !this.#hasChange ? emptyAnswer : undefined);
    return failure ? { outcome: 'failed', text: said, failure } : { outcome: 'completed', text: said };
  }
}
