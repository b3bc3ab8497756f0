import type { ApprovalService } from '../../approvals/approval-service.ts';
import type { ApprovalStore } from '../../approvals/approval-store.ts';
import { messageOf } from '../../errors.ts';
import type { MessageError } from '../../../contract/conversations.ts';
import type { EventBus } from '../../events.ts';
import type { Log } from '../../log.ts';
import type { ModelProviders } from '../../providers/model-providers.ts';
import type { DaemonIdentity } from '../../daemon-identity.ts';
import type { Runtime } from '../../runtime.ts';
import type { ConversationRow } from '../../storage/rows/conversations.ts';
import type { AgentRunRow } from '../../storage/rows/agent-runs.ts';
import type { ConversationService } from '../conversation-service.ts';
import type { ConversationStore } from '../conversation-store.ts';
import type { ActiveTurns } from './active-turns.ts';
import type { AgentRunStore } from './agent-run-store.ts';
import { type PreparedRun, storedState } from './attempt.ts';
import type { LeftTurns } from './left-turns.ts';
import type { MessageOptions, MessageRun, MessageRuns } from './message-runs.ts';
import { runSavers } from './run-savers.ts';
import { replayTurn } from './replay-turn.ts';
import { cancelled, RunFailure, toErrorEvent } from './run-failure.ts';
import type { RunFeeds } from './run-feeds.ts';
import type { RunOutcome, RunStorage } from './run-policy.ts';
import type { RunService } from './run-service.ts';
import { crashed, endOfTurn, errorOfTurn, failedEnd } from './turn-end.ts';

export interface WaitingMessagesDeps {
  bus: EventBus;
  conversations: ConversationService;
  store: ConversationStore;
  runs: AgentRunStore;
  providers: Pick<ModelProviders, 'resolve'>;
  approvals: ApprovalService;
  approvalStore: ApprovalStore;
  feeds: RunFeeds;
  turns: ActiveTurns;
  runService: RunService;
  messageRuns: MessageRuns;
  leftTurns: LeftTurns;
  /** The directory in which the tools of a conversation work: absolute, without links. */
  workspace: (conversation: Pick<ConversationRow, 'id' | 'cwd'>) => Promise<string>;
  daemon: DaemonIdentity;
  /** The daemons of the cluster that are not known to be gone; undefined where there is none. */
  presentDaemons: () => Promise<ReadonlySet<string> | undefined>;
  runtime: Runtime;
  log: Log;
}

/** Resumes messages with tools once their approvals are decided, after a restart too. */
export class WaitingMessages {
  readonly #deps: WaitingMessagesDeps;
  /** Messages that this daemon resumes once they are decided. */
  readonly #mine = new Set<string>();
  #unsubscribe: (() => void) | undefined;
  constructor(deps: WaitingMessagesDeps) {
    this.#deps = deps;
  }

  /** Starts to resume messages when their approvals are decided. */
  listen(): void {
    const { bus, feeds } = this.#deps;
    const announced = bus.on('approval', ({ row, approval }) => {
      if (row.status === 'pending') return;
      // At once, also where the turn waits for more: another client no longer asks for this one.
      const data = { toolCallId: row.call_id, approval };
      feeds.emit(row.run_id, { type: 'approval:decided', data });
    });
    // The daemon that began the message resumes it, wherever the decision was made.
    const resumed = bus.on('approval', ({ row }) => {
      if (row.status !== 'pending') this.resume(row.run_id);
    });
    const timer = this.#deps.daemon.isInCluster
      ? setInterval(() => void this.#look(), LOOK_EVERY_MS)
      : undefined;
    timer?.unref();
    this.#unsubscribe = () => {
      announced();
      resumed();
      clearInterval(timer);
    };
  }

  /**
   * Resumes the messages of an earlier process, of this daemon or of one that is gone, and ends those whose clients went away
   * with it.
   */
  async start(): Promise<void> {
    const { runs, turns, conversations, daemon } = this.#deps;
    const present = await this.#deps.presentDaemons();
    for (const { id, conversation_id: conversationId, daemon: owner } of await runs.openMessages()) {
      // The daemon answers already: a turn that runs now is new, and has ended what was left of its conversation.
      if (conversationId === null || turns.isBusy(conversationId) || this.#mine.has(id)) continue;
      if (owner !== null && owner !== daemon.id && present?.has(owner)) continue;
      const row = await conversations.inTurn(conversationId, () => this.#takeOver(id));
      if (!row) continue;
      await this.#announce(row);
      this.resume(id);
    }
  }

  /** The row of a message that waits or has to be resumed; one that its client has left is ended. */
  async #takeOver(id: string): Promise<AgentRunRow | undefined> {
    const { runs, leftTurns, feeds, daemon } = this.#deps;
    const row = await runs.find(id);
    if (!row) return undefined;
    if (row.status !== 'attached') return row.daemon === daemon.id ? row : runs.claim(row, daemon.id);
    if ((await leftTurns.settle(row)) === 'waiting') return row;
    // For clients that came back before it was stored.
    await this.#announce(row);
    feeds.emit(id, toErrorEvent(crashed.error));
    feeds.close(id);
    return undefined;
  }

  stop(): void {
    this.#unsubscribe?.();
  }

  /** Publishes the turn so far, for clients that join it again. */
  async #announce(row: AgentRunRow): Promise<void> {
    const { store, approvals, feeds } = this.#deps;
    const conversation = row.conversation_id === null ? undefined : await store.find(row.conversation_id);
    const state = storedState(row);
    if (!conversation || !state) return;
    const options = JSON.parse(row.options) as MessageOptions;
    feeds.begin(row.id, conversation.id);
    const pending = await approvals.listPending(conversation.id);
    for (const event of replayTurn({ id: row.id, conversation, options, state }, pending))
      feeds.emit(row.id, event);
    const step = (state.steps?.length ?? 0) + 1;
    if (row.partial) feeds.emit(row.id, { type: 'text:delta', data: { step, delta: row.partial } });
  }

  /** Resumes the run in its turn, unless one of its approvals is pending. */
  resume(runId: string): void {
    this.#inTurn(runId).catch((error: unknown) =>
      this.#deps.log.warn({ runId, reason: messageOf(error) }, 'a message could not be resumed'),
    );
  }

  async #inTurn(runId: string): Promise<void> {
    const { runs, conversations, approvalStore, turns, daemon } = this.#deps;
    const known = await runs.find(runId);
    if (!known || known.kind !== 'message' || known.conversation_id === null) return;
    if (known.status !== 'waiting' && known.status !== 'running') return;
    // Its own daemon does it; of one that is gone, `start` takes it over.
    if (known.daemon !== null && known.daemon !== daemon.id) return;
    const { conversation_id: conversationId } = known;
    await conversations.inTurn(conversationId, async () => {
      const requested = await approvalStore.listByRun(runId);
      const row = await runs.find(runId);
      if (!row || turns.stopping.aborted) return;
      if (requested.some(({ status }) => status === 'pending')) {
        if (row.status === 'waiting') this.#mine.add(runId);
        return;
      }
      this.#mine.delete(runId);
      // A run that was interrupted by the end of the daemon is resumed from its state.
      if (row.status !== 'waiting' && row.status !== 'running') return;
      const claimed = await runs.claim(row, daemon.id, { status: 'running' });
      if (!claimed) return;
      const client = turns.clientOf(runId);
      await turns.run({ runId, conversationId, client }, (signal) => this.#continue(claimed, signal));
    });
  }

  /** Of a cluster: resumes what was decided where no hint came, and ends what another daemon has ended or taken over. */
  async #look(): Promise<void> {
    const { runs, approvalStore, daemon, log } = this.#deps;
    if (this.#mine.size === 0) return;
    try {
      const rows = new Map((await runs.list([...this.#mine])).map((row) => [row.id, row]));
      for (const id of this.#mine) {
        const row = rows.get(id);
        if (row?.status !== 'waiting' || row.daemon !== daemon.id) await this.#endElsewhere(id, row);
        else if ((await approvalStore.listByRun(id)).every(({ status }) => status !== 'pending'))
          this.resume(id);
      }
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'waiting messages could not be looked at');
    }
  }

  /** Ends the stream of a message that another daemon has ended. */
  async #endElsewhere(id: string, row: AgentRunRow | undefined): Promise<void> {
    const { store, feeds, turns, messageRuns } = this.#deps;
    // It is resumed here at this moment.
    if (!this.#mine.delete(id)) return;
    turns.forgetClient(id);
    const options = row && (JSON.parse(row.options) as MessageOptions);
    const messages = row?.conversation_id ? await store.messages(row.conversation_id) : [];
    const answer = messages.find((message) => message.id === options?.messageId);
    if (answer?.error === null || row?.status === 'running') return feeds.close(id);
    const { code, message } = answer ? (JSON.parse(answer.error ?? '') as MessageError) : overtaken;
    messageRuns.fail(id, new RunFailure('cancelled', code, message));
  }

  async #continue(row: AgentRunRow, signal: AbortSignal): Promise<void> {
    const { store, feeds, turns } = this.#deps;
    const conversation = row.conversation_id === null ? undefined : await store.find(row.conversation_id);
    const state = storedState(row);
    if (!conversation || !state) return;
    const options = JSON.parse(row.options) as MessageOptions;
    feeds.begin(row.id, conversation.id);
    const outcome = await this.#resumeRun(
      { id: row.id, conversation, options, state, fence: row.fence },
      signal,
    );
    if (outcome.kind === 'waiting') {
      if (!turns.isStopped(row.id)) return this.resume(row.id);
      await this.drop(conversation.id, cancelled());
    }
    turns.forgetClient(row.id);
    if (outcome.kind === 'done') feeds.close(row.id);
  }

  async #resumeRun(run: ClaimedRun, signal: AbortSignal): Promise<RunOutcome> {
    const { providers, messageRuns, runService } = this.#deps;
    const savers = runSavers(this.#deps, run.id, { fence: run.fence });
    const { provider, model: modelId } = run.options;
    const store: RunStorage = {
      save: savers.save,
      savePartial: savers.savePartial,
      keep: (outcome) => {
        savers.stop();
        return this.#settle(run, outcome, signal);
      },
    };
    let prepared: PreparedRun;
    try {
      const { owner_id: userId, id: conversationId } = run.conversation;
      const { usedBy = { userId, conversationId } } = run.options;
      const model = await providers.resolve({ provider, model: modelId }, usedBy, { asks: true });
      const workspace = await this.#deps.workspace(run.conversation);
      prepared = await messageRuns.prepare(run, { model, workspace, signal, isAnnounced: true, store });
    } catch (error) {
      const outcome = { kind: 'failed', error } as const;
      await store.keep(outcome);
      return outcome;
    }
    return runService.run(prepared.plan, prepared.policy);
  }

  /** Stores the outcome of a resumed run in its message. */
  async #settle(run: ClaimedRun, outcome: RunOutcome, signal: AbortSignal): Promise<string | undefined> {
    const { messageRuns, turns } = this.#deps;
    if (outcome.kind === 'failed') {
      // The next start resumes it.
      if (turns.stopping.aborted) return undefined;
      // Before the write, so that the client gets the error even when it cannot be stored.
      messageRuns.fail(run.id, errorOfTurn(outcome.error, { stopping: turns.stopping, signal }));
      await this.#deps.approvals.expireForRun(run.id);
    }
    await this.#deps.leftTurns.store(run, endOfTurn(outcome, { stopping: turns.stopping, signal }));
    return run.options.messageId;
  }

  /** Ends the waiting messages of a conversation: a new message has come, or a person stopped them. */
  async drop(conversationId: string, reason: RunFailure = overtaken): Promise<boolean> {
    const { runs, store, approvals, messageRuns, turns, leftTurns } = this.#deps;
    const open = await runs.openMessages(conversationId);
    for (const row of open) {
      const conversation = await store.find(conversationId);
      const state = storedState(row);
      const options = JSON.parse(row.options) as MessageOptions;
      if (row.status === 'attached') await leftTurns.settle(row, { isFinal: true });
      else if (conversation && state)
        await leftTurns.store(
          { id: row.id, conversation, options, state, fence: row.fence },
          failedEnd(reason),
        );
      await approvals.expireForRun(row.id);
      turns.forgetClient(row.id);
      this.#mine.delete(row.id);
      messageRuns.fail(row.id, reason);
    }
    return open.length > 0;
  }
}

/** A run with the fence that the daemon got when it resumed it. */
type ClaimedRun = MessageRun & { fence: number };

/** How soon a daemon of a cluster notices a decision, if nothing tells it. */
const LOOK_EVERY_MS = 1000;

const overtaken = new RunFailure('cancelled', 'OVERTAKEN', 'A new message came before the decision');
