import type { AgentCall, DriverFailure, DriverListener, PermissionAnswer, TurnEnd } from '../driver.ts';
import { CodexText } from './codex-text.ts';
import {
  deniedFailure,
  emptyFailure,
  interruptedFailure,
  sandboxFailure,
  turnFailure,
} from './codex-failure.ts';
import { type Fields, idOf, objectsOf, textOf } from './codex-fields.ts';

/** What `bwrap` says where it may not create a sandbox; Codex then calls the turn completed. */
const NO_SANDBOX = /Creating new namespace failed/;

/** One turn, from its prompt to its end. */
export class CodexTurn {
  isCancelled = false;
  readonly text: CodexText;
  /** Resolves when the turn ends. */
  readonly ended: Promise<TurnEnd>;
  /** Resolves when its questions need no decision any more. */
  readonly withdrawn: Promise<PermissionAnswer>;
  /** The answers to its questions. */
  readonly answers: Promise<unknown>[] = [];
  /** Resolves when Codex has named the turn. */
  readonly named: Promise<string>;
  #id: string | undefined;
  readonly #calls = new Set<AgentCall>();
  #isDenied = false;
  #hasDiff = false;
  #error: unknown;
  readonly #end: (end: TurnEnd) => void;
  readonly #withdraw: (answer: PermissionAnswer) => void;
  readonly #name: (id: string) => void;

  constructor(listener: DriverListener) {
    this.text = new CodexText(listener);
    const ended = Promise.withResolvers<TurnEnd>();
    const withdrawn = Promise.withResolvers<PermissionAnswer>();
    const named = Promise.withResolvers<string>();
    [this.named, this.#name] = [named.promise, named.resolve];
    [this.ended, this.#end] = [ended.promise, ended.resolve];
    [this.withdrawn, this.#withdraw] = [withdrawn.promise, withdrawn.resolve];
  }

  get id(): string | undefined {
    return this.#id;
  }

  /** The first name counts. */
  name(id: string): void {
    this.#id ??= id;
    this.#name(this.#id);
  }

  withdrawQuestions(): void {
    this.#withdraw({ decision: 'cancelled' });
  }

  noteCall(call: AgentCall): void {
    this.#calls.add(call);
  }

  noteDenial(): void {
    this.#isDenied = true;
  }

  noteDiff(diff: unknown): void {
    this.#hasDiff = (textOf(diff) ?? '').trim() !== '';
  }

  /** The last error that Codex does not try to mend by itself. */
  noteError(error: unknown): void {
    this.#error = error;
  }

  completeMessage(item: Fields): void {
    // Codex has said something after what was denied.
    if (this.text.completeMessage(idOf(item['id']) ?? '', item)) this.#isDenied = false;
  }

  fail(failure: DriverFailure): void {
    this.#finish(failure);
  }

  /** Ends the turn with what Codex says of it. */
  complete(turn: Fields, rateLimits: Fields): void {
    for (const item of objectsOf(turn['items']))
      if (item['type'] === 'agentMessage') this.completeMessage(item);
    const status = turn['status'];
    const error = turn['error'] ?? undefined;
    if (status === 'completed' && error === undefined) this.#finish(this.#judge());
    else if (status === 'interrupted') this.#finish(interruptedFailure());
    else this.#finish(turnFailure(error ?? this.#error, rateLimits));
  }

  #finish(failure: DriverFailure | undefined): void {
    const text = this.text.answer;
    this.#end(
      this.isCancelled
        ? { outcome: 'cancelled', text }
        : failure
          ? { outcome: 'failed', text, failure }
          : { outcome: 'completed', text: text || this.text.streamed },
    );
    this.withdrawQuestions();
  }

  /** Why a turn that Codex completed is no success. */
  #judge(): DriverFailure | undefined {
    const calls = [...this.#calls];
    const commands = calls.filter(({ kind, status }) => kind === 'shell' && status !== 'declined');
    if (
      commands.length > 0 &&
      commands.every((call) => call.status === 'failed' && NO_SANDBOX.test(call.output ?? ''))
    )
      return sandboxFailure();
    if (this.#isDenied) return deniedFailure();
    const isChanged =
      this.#hasDiff || calls.some(({ kind, status }) => kind === 'edit' && status === 'completed');
    return isChanged || (this.text.answer || this.text.streamed).trim() !== ''
      ? undefined
      : emptyFailure(this.text.hasEmptyMessage);
  }
}
