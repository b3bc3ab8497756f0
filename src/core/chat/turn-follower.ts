import { setTimeout as sleep } from 'node:timers/promises';
import { runEventOf } from '../../contract/task-run-events.ts';
import { type StreamLog, StreamUnavailable, type TurnEvent } from '../cluster/stream-log.ts';
import { messageOf } from '../errors.ts';
import type { EventBus } from '../events.ts';
import type { Log } from '../log.ts';
import type { Database } from '../storage/database.ts';
import { readEventPage } from '../tasks/task-event-pages.ts';
import { isTerminal } from '../tasks/task-states.ts';
import type { ConversationFeeds } from './conversation-feeds.ts';
import { currentRunOf } from './current-run.ts';
import { StoredTail } from './stored-tail.ts';

/** Without the stream the rows are read this often. */
const LOOK_EVERY_MS = 250;
const PAGE = { count: 200, bytes: 256 * 1024 };

export interface TurnFollowerDeps {
  database: Database;
  log: StreamLog<TurnEvent>;
  feeds: ConversationFeeds;
  bus: EventBus;
  reports: Pick<Log, 'warn'>;
}

/** Reads the turns that other daemons run, for the clients of this one. */
export class TurnFollower {
  readonly #deps: TurnFollowerDeps;
  readonly #stopping = new AbortController();
  readonly #subscriptions: (() => void)[];

  constructor(deps: TurnFollowerDeps) {
    this.#deps = deps;
    const { bus, feeds } = deps;
    this.#subscriptions = [
      bus.on('turn_began', ({ conversationId, runId }) => {
        if (feeds.hasReaders(conversationId)) this.#join(conversationId, runId);
      }),
      bus.onDoubt(() => {
        for (const id of feeds.watched()) void this.watch(id);
      }),
    ];
  }

  stop(): void {
    this.#stopping.abort();
    for (const unsubscribe of this.#subscriptions) unsubscribe();
  }

  /** Publishes the current turn of a conversation that a client begins to follow, where another daemon runs it. */
  async watch(conversationId: string): Promise<void> {
    const { database, reports } = this.#deps;
    try {
      const current = await currentRunOf(database, conversationId);
      if (current) this.#join(conversationId, current.id);
    } catch (error) {
      reports.warn(
        { conversationId, reason: messageOf(error) },
        'a turn of another daemon cannot be followed',
      );
    }
  }

  /**
   * Calls back with each event of a run that another daemon runs, from its first; resolves at its end or when the signal
   * aborts. Where the stream is not there or breaks, what is stored of the run takes its place.
   */
  async read(runId: string, signal: AbortSignal, publish: (item: TurnEvent) => void): Promise<void> {
    const tail = new StoredTail();
    try {
      for await (const entry of this.#deps.log.follow(runId, signal)) {
        if (entry === 'end') return;
        tail.delivered(entry.item.event);
        publish(entry.item);
      }
    } catch (error) {
      if (!(error instanceof StreamUnavailable)) throw error;
      await this.#readStored(runId, tail, signal, publish);
    }
  }

  async #readStored(
    runId: string,
    tail: StoredTail,
    signal: AbortSignal,
    publish: (item: TurnEvent) => void,
  ): Promise<void> {
    const { database } = this.#deps;
    let after = 0;
    while (!signal.aborted) {
      const run = await database.read
        .selectFrom('agent_runs')
        .leftJoin('tasks', 'tasks.id', 'agent_runs.task_id')
        .select(['task_id', 'tasks.seq', 'tasks.status as task_status', 'agent_runs.status'])
        .where('agent_runs.id', '=', runId)
        .executeTakeFirst();
      if (run?.task_id && run.seq !== null)
        for (let hasMore = true; hasMore;) {
          const page = await readEventPage(database, { id: run.task_id, seq: run.seq }, after, PAGE);
          ({ hasMore } = page);
          for (const event of page.events) {
            after = event.seq;
            const stored = runEventOf(event);
            const rest = stored && tail.rest(stored);
            if (rest) publish({ event: rest, epoch: 'stored', number: event.seq });
          }
        }
      // Its row may come later than its stream is asked for, and goes with the end of a message.
      if (run?.task_status ? isTerminal(run.task_status) : run && !isOpen(run.status)) return;
      try {
        await sleep(LOOK_EVERY_MS, undefined, { signal, ref: false });
      } catch {
        return;
      }
    }
  }

  #join(conversationId: string, runId: string): void {
    const { feeds, reports } = this.#deps;
    if (feeds.knows(runId)) return;
    feeds.begin(conversationId, runId);
    this.read(runId, this.#stopping.signal, (item) => feeds.receive(runId, item))
      .catch((error: unknown) =>
        reports.warn({ runId, reason: messageOf(error) }, 'a turn of another daemon cannot be followed'),
      )
      .finally(() => feeds.end(runId));
  }
}

const isOpen = (status: string) => ['attached', 'waiting', 'running', 'queued'].includes(status);
