import type { DriverListener } from '../driver.ts';
import { CodexCalls } from './codex-calls.ts';
import type { Fields } from './codex-fields.ts';
import type { CodexTurn } from './codex-turn.ts';
import { CodexUsage } from './codex-usage.ts';

/** What is known of the thread that a process works on. */
export class CodexSession {
  readonly listener: DriverListener;
  readonly calls = new CodexCalls();
  readonly usage = new CodexUsage();
  threadId: string | undefined;
  isResumed = false;
  /** The turn that is under way. */
  turn: CodexTurn | undefined;
  /** The last state of the limits of the account that says how far they are used. */
  rateLimits: Fields = {};
  readonly #turnIds = new Set<unknown>();

  constructor(listener: DriverListener) {
    this.listener = listener;
  }

  nameTurn(turn: CodexTurn | undefined, id: unknown): void {
    if (typeof id !== 'string') return;
    this.#turnIds.add(id);
    turn?.name(id);
  }

  /** Whether something is of a turn of this process: Codex also repeats what earlier ones used. */
  hasTurn(id: unknown): boolean {
    return id === undefined ? this.turn !== undefined : this.#turnIds.has(id);
  }

  /** Ends the turn, unless it has ended or is another one. */
  endTurn(end: (turn: CodexTurn) => void, only = this.turn): void {
    const { turn } = this;
    if (!turn || turn !== only) return;
    this.turn = undefined;
    end(turn);
  }
}
