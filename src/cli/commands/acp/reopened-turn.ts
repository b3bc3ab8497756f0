import type { AgentContext, SessionUpdate } from '@agentclientprotocol/sdk';
import type { Approval } from '../../../contract/approvals.ts';
import type { RunEvent } from '../../../contract/run-events.ts';
import { runFailure } from '../chat/run-failure.ts';
import type { AcpDeps } from './acp-deps.ts';
import { PermissionRequests } from './permission-requests.ts';
import { RunUpdates } from './run-updates.ts';

interface ReopenedDeps extends Pick<AcpDeps, 'connection' | 'formatError' | 'log'> {
  id: string;
  cwd: string | undefined;
  client: AgentContext;
  send: (update: SessionUpdate) => Promise<void>;
  /** Shows a note to the person. */
  tell: (note: string) => Promise<void>;
}

/** Codes of a turn that was ended on purpose, which needs no word. */
const ended = new Set(['CANCELLED', 'OVERTAKEN']);

const again = 'Open the session again to see what became of the turn.';

/** A turn that waited for a decision when its session was opened: asks about its calls, and shows how it continues. */
export class ReopenedTurn {
  readonly #deps: ReopenedDeps;
  readonly #leaving = new AbortController();
  readonly #updates: RunUpdates;
  readonly #permissions: PermissionRequests;
  /** The approvals that the editor was asked about. */
  readonly #asked = new Set<string>();
  /** Under which id the editor knows a call: that of its approval, where it was asked before an event named the call. */
  readonly #shownAs = new Map<string, string>();
  /** Whether what comes is new: the stream begins with what happened before the session was opened. */
  #isNew = false;

  constructor(deps: ReopenedDeps) {
    this.#deps = deps;
    this.#updates = new RunUpdates(deps.cwd);
    this.#permissions = new PermissionRequests({
      ...deps,
      describe: (toolCallId, approval) => this.#updates.describe(toolCallId, approval),
      // An editor that takes its question back leaves the call to others.
      cancel: () => Promise.resolve(),
    });
  }

  /** Resolves once the turn is over or was left; never rejects. `pending` are the approvals that it waits for. */
  async run(pending: readonly Approval[]): Promise<void> {
    const { formatError, log, tell } = this.#deps;
    for (const { id } of pending) this.#asked.add(id);
    try {
      await this.#follow();
    } catch (error) {
      if (this.#leaving.signal.aborted) return;
      log(formatError(error));
      await tell(`${formatError(error)} ${again}`);
    } finally {
      await this.#permissions.end();
    }
  }

  /** Stops the turn. */
  async cancel(): Promise<void> {
    const { connection, id, formatError, log } = this.#deps;
    this.leave();
    try {
      await connection.client.conversations.stopTurn({ params: { id } });
    } catch (error) {
      log(formatError(error));
    }
  }

  /** Takes the questions back and no longer follows the turn, which keeps waiting. */
  leave(): void {
    this.#permissions.withdraw();
    this.#leaving.abort();
  }

  /** Opens the stream before it looks what waits, so that it misses no decision. */
  async #follow(): Promise<void> {
    const { connection, id, tell } = this.#deps;
    const { conversations } = connection.client;
    const done = new AbortController();
    const signal = AbortSignal.any([this.#leaving.signal, done.signal]);
    const opened = Promise.withResolvers<void>();
    const events = conversations.followEventsStream({ params: { id } }, { signal, onOpen: opened.resolve });
    const first = events.next();
    try {
      await Promise.race([opened.promise, first]);
      const { pendingApprovals, currentRun } = await conversations.get({ params: { id } }, { signal });
      for (const approval of pendingApprovals) await this.#ask(approval.id, approval);
      if (!currentRun) return;
      for (let next = await first; !next.done; next = await events.next())
        if (next.value.data.runId === currentRun.id && (await this.#take(next.value.data))) return;
      await tell(`The connection to the daemon was lost. ${again}`);
    } finally {
      done.abort();
      await first.catch(() => undefined);
    }
  }

  async #ask(toolCallId: string, approval: Approval): Promise<void> {
    this.#asked.add(approval.id);
    const data = { toolCallId, approval };
    await this.#show({ type: 'approval:requested', data, timestamp: 0 });
    this.#permissions.ask(toolCallId, approval);
  }

  /** Whether the turn is over. */
  async #take(event: RunEvent): Promise<boolean> {
    const { type, data } = event;
    if (type === 'approval:requested' && !this.#asked.has(data.approval.id)) await this.#askNew(data);
    else if (type === 'approval:decided' && this.#asked.has(data.approval.id)) {
      if (!this.#shownAs.has(data.toolCallId)) this.#shownAs.set(data.toolCallId, data.approval.id);
      this.#isNew = true;
      this.#permissions.decided(data.approval);
      await this.#show(event);
    } else if (this.#isNew) await this.#show(event);
    if (type === 'note' && this.#isNew) await this.#deps.tell(data.message);
    if (type === 'error') await this.#fail(data);
    return type === 'message_saved' || type === 'error';
  }

  async #askNew({
    toolCallId,
    approval: { id },
  }: Extract<RunEvent, { type: 'approval:requested' }>['data']): Promise<void> {
    const { approval } = await this.#deps.connection.client.approvals.get({ params: { id } });
    this.#shownAs.set(toolCallId, toolCallId);
    if (approval.status === 'pending') await this.#ask(toolCallId, approval);
  }

  async #show(event: RunEvent): Promise<void> {
    for (const update of this.#updates.of(this.#named(event))) await this.#deps.send(update);
  }

  /** The event with the id under which the editor knows its call. */
  #named(event: RunEvent): RunEvent {
    if (!('toolCallId' in event.data)) return event;
    const toolCallId = this.#shownAs.get(event.data.toolCallId) ?? event.data.toolCallId;
    return { ...event, data: { ...event.data, toolCallId } } as RunEvent;
  }

  async #fail(failure: Extract<RunEvent, { type: 'error' }>['data']): Promise<void> {
    if (!ended.has(failure.code)) await this.#deps.tell(this.#deps.formatError(runFailure(failure)));
  }
}
