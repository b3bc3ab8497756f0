import { ApiError } from '../../../contract/client.ts';
import type { RunEvent } from '../../../contract/run-events.ts';
import { client } from '../../client.ts';
import { live } from '../../live/live-feed.ts';
import { conversationQuery, conversationsQuery } from '../../queries/conversations.ts';
import { queryClient } from '../../queries/query-client.ts';
import { keepMessages, keptMessages, type Outgoing } from './outgoing.ts';
import { type ChatSettings, openMessage } from './send-message.ts';
import { beginTurn, isOpenRun, isRunning, reduceTurn, type Turn } from './turn.ts';

export interface ChatState {
  /** The turns that were seen live, in order. */
  turns: readonly Turn[];
  outgoing: readonly Outgoing[];
  /** Whether the events of the conversation arrive. */
  isFollowing: boolean;
}

const FIRST_RETRY_MS = 300;
const LONGEST_RETRY_MS = 3000;

/**
 * One conversation while it is open in this tab: all its events, whichever client caused them, and what is sent to it. What
 * was missed is read again at each connection.
 */
export class ChatSession {
  readonly #id: string;
  readonly #listeners = new Set<() => void>();
  #state: ChatState = { turns: [], outgoing: [], isFollowing: false };
  #shown = this.#state;
  #frame: number | undefined;
  #following: AbortController | undefined;
  #isSending = false;
  /** A message that is not stored yet has no turn to stop. */
  #isStopping = false;
  #lastKey = 0;

  constructor(id: string) {
    this.#id = id;
    const outgoing = keptMessages(id);
    this.#lastKey = outgoing.length;
    this.#state = this.#shown = { ...this.#state, outgoing };
  }

  readonly state = (): ChatState => this.#shown;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    sessions.set(this.#id, this);
    document.addEventListener('visibilitychange', this.#update);
    // Who signs in again is connected again.
    const forgetLive = live.onMessage(({ type }) => type === 'hello' && this.#update());
    this.#update();
    return () => {
      forgetLive();
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) document.removeEventListener('visibilitychange', this.#update);
      this.#update();
    };
  };

  /** Whether a turn runs that any client began. */
  get #isRunning(): boolean {
    const { turns } = this.#state;
    const known = queryClient.getQueryData(conversationQuery(this.#id).queryKey)?.currentRun;
    return turns.some(isRunning) || isOpenRun(known, turns);
  }

  /** Whether something is sent or answered that this tab must not lose. */
  get #isBusy(): boolean {
    return this.#isRunning || this.#state.outgoing.some(({ state }) => state !== 'failed');
  }

  /** Sends a message now, or after what runs. */
  submit(content: string, settings: ChatSettings): void {
    const message = { key: ++this.#lastKey, content, settings, state: 'queued' } as const;
    this.#set({ outgoing: [...this.#state.outgoing, message] });
    this.#sendNext();
  }

  /** Sends a message that failed, or that waits after a turn that failed. */
  sendAgain(key: number): void {
    if (this.#isSending || this.#isRunning) return;
    const message = this.#state.outgoing.find((each) => each.key === key);
    if (message) void this.#send(message);
  }

  /** Takes a message back that was not sent. */
  takeBack(key: number): void {
    this.#set({ outgoing: this.#state.outgoing.filter((each) => each.key !== key) });
  }

  /** Stops what runs, whichever client began it. */
  async stop(): Promise<void> {
    this.#isStopping = this.#isSending;
    await client.conversations.stopTurn({ params: { id: this.#id } });
  }

  /** Looks whether the events are needed: while somebody looks, and while something is under way. */
  readonly #update = (): void => {
    const isWatched = this.#listeners.size > 0 && document.visibilityState === 'visible';
    if (isWatched || this.#isBusy) {
      if (this.#following) return;
      this.#following = new AbortController();
      void this.#follow(this.#following.signal);
    } else {
      this.#following?.abort();
      this.#following = undefined;
      // A browser opens few connections, and a tab in the background should not hold one for nothing.
      this.#set({ isFollowing: false });
      // A message that was not sent is kept for its person.
      if (this.#listeners.size === 0 && this.#state.outgoing.length === 0) sessions.delete(this.#id);
    }
  };

  /** Joins again as often as the connection breaks. */
  async #follow(signal: AbortSignal): Promise<void> {
    const aborted = new Promise<void>((resolve) =>
      signal.addEventListener('abort', () => resolve(), { once: true }),
    );
    for (let wait = FIRST_RETRY_MS; !signal.aborted; wait = Math.min(wait * 1.5, LONGEST_RETRY_MS)) {
      try {
        const onOpen = () => {
          wait = FIRST_RETRY_MS;
          this.#join();
        };
        const params = { id: this.#id };
        for await (const { data } of client.conversations.followEventsStream(
          { params },
          { signal, onOpen },
        )) {
          if (signal.aborted) return;
          this.#take(data);
        }
      } catch (error) {
        // The page shows why the conversation cannot be read.
        if (error instanceof ApiError && error.status < 429) {
          this.#following = undefined;
          return this.#refresh();
        }
      }
      if (signal.aborted) return;
      this.#set({ isFollowing: false });
      const timer = Promise.withResolvers<void>();
      setTimeout(timer.resolve, wait);
      await Promise.race([timer.promise, aborted]);
    }
  }

  /** The turn that runs is sent again from its beginning; what is over was stored. */
  #join(): void {
    const { turns } = this.#state;
    const left = turns.filter((turn) => !isRunning(turn));
    this.#set({ isFollowing: true, turns: left });
    this.#refresh();
    if (left.length < turns.length) void this.#settle();
  }

  /** Learns what became of a turn whose end was missed. */
  async #settle(): Promise<void> {
    const query = { ...conversationQuery(this.#id), staleTime: 0 };
    // Where that fails, the page says so and it is read again.
    const answer = await queryClient.fetchQuery(query).catch(() => undefined);
    if (!answer || answer.currentRun) return;
    const messages = new Map(answer.messages.map(({ id }, at) => [id, at]));
    const isOver = ({ id }: Turn) => (messages.get(id) ?? Infinity) < answer.messages.length - 1;
    this.#set({ turns: this.#state.turns.filter((turn) => turn.end !== undefined || !isOver(turn)) });
    if (answer.messages.at(-1)?.status === 'completed') this.#sendNext();
    this.#update();
  }

  #refresh(): void {
    void queryClient.invalidateQueries({ queryKey: conversationQuery(this.#id).queryKey });
    void queryClient.invalidateQueries({ queryKey: conversationsQuery.queryKey });
  }

  #take(event: RunEvent): void {
    const { type, timestamp, runId = '' } = event;
    const { turns } = this.#state;
    if (type === 'user_message') {
      const turn = { ...beginTurn(event.data.id, timestamp, event.data.content), runId };
      this.#set({
        turns: [
          ...turns.filter(({ id, runId: run }) => id !== turn.id && run !== turn.runId),
          event.data.taskId === undefined ? turn : { ...turn, taskId: event.data.taskId },
        ],
      });
      return this.#refresh();
    }
    const at = turns.findIndex((turn) => turn.runId === runId);
    // Of a long turn the first events may be gone; a compaction that a person asked for has no message.
    const before = turns[at] ?? { ...beginTurn(runId, timestamp), runId };
    let turn = reduceTurn(before, event);
    if (at < 0 && type === 'compaction') turn = { ...turn, end: 'done', phase: 'done' };
    if (at < 0 && type === 'message_saved') return this.#refresh();
    this.#set({ turns: at < 0 ? [...turns, turn] : turns.with(at, turn) });
    if (type === 'complete' || type === 'error' || type === 'message_saved' || type === 'compaction')
      this.#refresh();
    if (isRunning(before) && !isRunning(turn)) this.#ended(turn);
  }

  #ended(turn: Turn): void {
    // Messages that wait after a failure are sent by a person, who may want to change them.
    if (turn.end !== 'failed') this.#sendNext();
    this.#update();
  }

  #sendNext(): void {
    if (this.#isSending || this.#isRunning) return;
    const next = this.#state.outgoing.find(({ state }) => state === 'queued');
    if (next) void this.#send(next);
  }

  async #send(message: Outgoing): Promise<void> {
    this.#isSending = true;
    this.#change(message.key, { state: 'sending' });
    this.#update();
    let error: Error | undefined;
    try {
      const { id, at } = await openMessage(this.#id, message.content, message.settings);
      const isKnown = this.#state.turns.some((turn) => turn.id === id);
      // Its events may have come and gone before they were followed.
      if (!isKnown && this.#state.isFollowing) void this.#settle();
      this.#set({
        outgoing: this.#state.outgoing.filter(({ key }) => key !== message.key),
        // Its other events come with those of the conversation.
        ...(!isKnown && { turns: [...this.#state.turns, beginTurn(id, at, message.content)] }),
      });
    } catch (cause) {
      error = cause instanceof Error ? cause : new Error(String(cause));
    }
    this.#isSending = false;
    const isStopping = this.#isStopping;
    this.#isStopping = false;
    // Where that fails it is still shown as running, and can be stopped again.
    if (isStopping && !error) await this.stop().catch(() => undefined);
    if (error) this.#change(message.key, { state: 'failed', error });
    this.#update();
  }

  #change(key: number, change: Partial<Outgoing>): void {
    const outgoing = this.#state.outgoing.map((each) => (each.key === key ? { ...each, ...change } : each));
    this.#set({ outgoing });
  }

  /** Events come faster than pictures. */
  #set(change: Partial<ChatState>): void {
    this.#state = { ...this.#state, ...change };
    if (change.outgoing) keepMessages(this.#id, change.outgoing);
    if (this.#frame !== undefined) return;
    const show = () => {
      this.#frame = undefined;
      this.#shown = this.#state;
      for (const listener of this.#listeners) listener();
    };
    if (document.visibilityState === 'visible') this.#frame = requestAnimationFrame(show);
    else show();
  }
}

const sessions = new Map<string, ChatSession>();

/** The session of a conversation, which stays while it is shown or busy. */
export function sessionOf(id: string): ChatSession {
  const session = sessions.get(id) ?? new ChatSession(id);
  sessions.set(id, session);
  return session;
}
