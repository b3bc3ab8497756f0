import { AgentFailure } from '../../agents/agent-adapter.ts';
import { RunFailure } from '../../chat/runs/run-failure.ts';
import type { Log } from '../../log.ts';
import type { AgentSandbox } from '../agent-sandboxes.ts';
import type { AgentChat } from './agent-chat.ts';
import { type ChatOrder, startChat, type StartChatDeps, type StartedChat } from './start-chat.ts';
import { toTurnFailure } from './turn-failure.ts';

/** How long an agent is kept after its last turn, unless a test says otherwise. */
const IDLE_MS = 10 * 60_000;

export interface AgentChatsDeps extends StartChatDeps {
  log: Log;
  idleMs?: number | undefined;
}

interface Kept extends Omit<StartedChat, 'session'> {
  timer?: NodeJS.Timeout;
}

/** The agent of a conversation, ready for a turn. */
export interface OpenChat {
  chat: AgentChat;
  sandbox: AgentSandbox | undefined;
  /** Whether the agent did not know its session any more and has begun another one. */
  isLost: boolean;
}

/** Keeps the agents that answer in conversations: one process for each, from its first turn until it was idle for a while. */
export class AgentChats {
  readonly #deps: AgentChatsDeps;
  readonly #kept = new Map<string, Kept>();
  readonly #ending = new Map<string, Promise<void>>();
  /** Of the conversations in which a turn runs, what takes notes for people. */
  readonly #listening = new Map<string, (note: string) => void>();

  constructor(deps: AgentChatsDeps) {
    this.#deps = deps;
  }

  /**
   * The agent of a conversation, started where none is kept that this turn can use; call `release` after the turn, also if
   * this fails. Throws a `RunFailure` where the agent does not start.
   */
  async open(order: ChatOrder, signal: AbortSignal): Promise<OpenChat> {
    const { conversationId: id, sessionId, onNote } = order;
    this.#listening.set(id, onNote);
    const key = this.#keyOf(order);
    const kept = this.#kept.get(id);
    clearTimeout(kept?.timer);
    if (kept && kept.chat.key === key && (await isUsable(kept, signal))) return opened(kept, false);
    await this.end(id);
    const started = await this.#start(key, order, signal);
    if (started !== 'lost') return opened(started, false);
    const fresh = await this.#start(key, { ...order, sessionId: undefined }, signal);
    if (fresh === 'lost')
      throw new Error(`the agent cannot find the session that it should create: ${sessionId}`);
    return opened(fresh, true);
  }

  /** Ends a turn: looks for what it left in the sandbox, and keeps the agent for the next turn, for a while. Never rejects. */
  async release(conversationId: string): Promise<void> {
    const { idleMs = IDLE_MS, reportBug } = this.#deps;
    const kept = this.#kept.get(conversationId);
    if (kept) await this.#look(conversationId, kept).catch(reportBug);
    this.#listening.delete(conversationId);
    if (!kept || this.#kept.get(conversationId) !== kept) return;
    clearTimeout(kept.timer);
    const end = () => void this.end(conversationId).catch(reportBug);
    kept.timer = setTimeout(end, idleMs).unref();
  }

  /** Ends the agent of a conversation, if there is one; its session can be continued. */
  end(conversationId: string): Promise<void> {
    return this.#drop(conversationId, (chat) => chat.end());
  }

  /** Kills all of them. */
  async close(): Promise<void> {
    for (const id of this.#kept.keys()) void this.#drop(id, (chat) => chat.stop());
    await Promise.all(this.#ending.values());
  }

  #drop(conversationId: string, how: (chat: AgentChat) => Promise<void>): Promise<void> {
    const kept = this.#kept.get(conversationId);
    if (!kept) return this.#ending.get(conversationId) ?? Promise.resolve();
    this.#kept.delete(conversationId);
    clearTimeout(kept.timer);
    const ending = how(kept.chat)
      .then(() => kept.gone)
      .finally(() => this.#ending.delete(conversationId));
    this.#ending.set(conversationId, ending);
    return ending;
  }

  async #look(conversationId: string, { chat, sandbox, gone }: Kept): Promise<void> {
    if (chat.isOver) return gone;
    for (const note of (await sandbox?.disarm()) ?? []) this.#note(conversationId, note);
  }

  async #start(key: string, order: ChatOrder, signal: AbortSignal): Promise<Kept | 'lost'> {
    const { conversationId, program } = order;
    signal.throwIfAborted();
    const onNote = (note: string) => this.#note(conversationId, note);
    const { session, ...kept } = await startChat(this.#deps, { ...order, key, signal, onNote }).catch(
      (error: unknown) => {
        throw toRunFailure(error);
      },
    );
    const { chat } = kept;
    this.#kept.set(conversationId, kept);
    const stop = () => void chat.stop();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const opening = await chat.open(session).finally(() => signal.removeEventListener('abort', stop));
    if (!('failure' in opening)) return kept;
    await this.end(conversationId);
    signal.throwIfAborted();
    if (opening.failure.code === 'session_not_found') return 'lost';
    throw toTurnFailure(opening.failure, program.agent);
  }

  /** Tells the person whose turn runs; between turns, the log is who reads it. */
  #note(conversationId: string, note: string): void {
    const listener = this.#listening.get(conversationId);
    if (listener) listener(note);
    else this.#deps.log.warn({ conversationId, note }, 'an agent left something to know');
  }

  /** What a process was started with and cannot change. */
  #keyOf({ program: { agent, path, version }, cwd, model, isSandboxed, isReadOnly }: ChatOrder): string {
    const { type, args, env } = agent;
    const opened = isSandboxed && this.#deps.config.get('agents.sandboxPaths');
    return JSON.stringify([type, path, version, args, env, cwd, model, isSandboxed, isReadOnly, opened]);
  }
}

const opened = ({ chat, sandbox }: Kept, isLost: boolean): OpenChat => ({ chat, sandbox, isLost });

/** Whether the agent can answer again: it runs, and its sandbox hides what it should now. */
async function isUsable({ chat, sandbox }: Kept, signal: AbortSignal): Promise<boolean> {
  if (chat.isOver) return false;
  return sandbox === undefined || ((await sandbox.isCurrent(signal)) && !chat.isOver);
}

const toRunFailure = (error: unknown): unknown =>
  error instanceof AgentFailure
    ? new RunFailure(error.failure, error.code.toUpperCase(), error.message)
    : error;
