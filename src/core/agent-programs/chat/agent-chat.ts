import type {
  AgentDriver,
  AgentUsage,
  CreateDriver,
  DriverListener,
  TurnEnd,
} from '../../agents/drivers/driver.ts';
import type { LineProgramOptions } from '../../processes/line-program.ts';
import { AgentSession } from '../agent-session.ts';

/** What hears of one turn. */
export interface TurnListener extends Omit<DriverListener, 'onSession' | 'onNote'> {
  /** A sign of life. */
  onLine(): void;
}

const figures = ['inputTokens', 'outputTokens', 'cachedInputTokens', 'costUsd'] as const;

/** The process of an agent that answers in a conversation, one turn after the other. */
export class AgentChat {
  /** Equal for orders that this process can work for. */
  readonly key: string;
  readonly #session: AgentSession;
  #turn: TurnListener | undefined;
  #isOver = false;
  #used: AgentUsage = {};
  /** What was used before the current turn. */
  #before: AgentUsage = {};

  constructor(
    key: string,
    program: Omit<LineProgramOptions, 'onLine'>,
    {
      create,
      onSession,
      onNote,
    }: { create: CreateDriver; onSession: (id: string) => void; onNote: (note: string) => void },
  ) {
    this.key = key;
    this.#session = new AgentSession(program, {
      create,
      onLine: () => this.#turn?.onLine(),
      listener: {
        onSession,
        onText: (delta) => this.#turn?.onText(delta),
        onThinking: (delta) => this.#turn?.onThinking(delta),
        onCall: (call) => this.#turn?.onCall(call),
        onPlan: (entries) => this.#turn?.onPlan(entries),
        onStep: () => this.#turn?.onStep(),
        onNote,
        onUsage: (usage) => {
          this.#used = { ...this.#used, ...usage };
          this.#turn?.onUsage(difference(this.#used, this.#before));
        },
        // Between turns nobody reads what it asks.
        ask: (question) => this.#turn?.ask(question) ?? Promise.resolve({ decision: 'cancelled' }),
      },
    });
    void this.#session.exited.then(() => (this.#isOver = true));
  }

  /** Whether it has exited, so that the next turn needs another one. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Resolves once it and everything that it started are gone. */
  get exited(): Promise<unknown> {
    return this.#session.exited;
  }

  open(order: Parameters<AgentDriver['open']>[0]): ReturnType<AgentDriver['open']> {
    return this.#session.driver.open(order);
  }

  /** Resolves at the end of the turn; an abort interrupts it, and kills an agent that does not obey. Never rejects. */
  async turn(content: string, listener: TurnListener, signal: AbortSignal): Promise<TurnEnd> {
    this.#turn = listener;
    this.#before = this.#used;
    const ended = this.#session.driver.prompt(content);
    const interrupt = () => this.#session.interrupt(ended);
    signal.addEventListener('abort', interrupt, { once: true });
    if (signal.aborted) interrupt();
    try {
      return await ended;
    } finally {
      signal.removeEventListener('abort', interrupt);
      this.#turn = undefined;
    }
  }

  /** Lets it exit; resolves once everything that it started is gone. */
  end(): Promise<void> {
    return this.#session.end();
  }

  /** Kills it. */
  stop(): Promise<void> {
    return this.#session.stop();
  }
}

function difference(now: AgentUsage, before: AgentUsage): AgentUsage {
  const spent: AgentUsage = {};
  for (const name of figures) {
    const value = now[name];
    if (value !== undefined) spent[name] = Math.max(0, value - (before[name] ?? 0));
  }
  return spent;
}
