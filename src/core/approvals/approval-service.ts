import type {
  Approval,
  ApprovalCoverage,
  ApprovalDecision,
  DecidedApproval,
  FileDiff,
} from '../../contract/approvals.ts';
import { visibleLine } from '../../contract/visible-text.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { type Caller, requireOwned, visibleOwner } from '../auth/caller.ts';
import { AppError } from '../errors.ts';
import type { EventBus } from '../events.ts';
import type { NotificationService } from '../notifications/notification-service.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import type { ApprovalRow } from '../storage/rows/approvals.ts';
import type { Runtime } from '../runtime.ts';
import type { ApprovalOutbox } from './approval-outbox.ts';
import type { EditedFacts, NewApproval } from './approval-facts.ts';
import type { ApprovalStore } from './approval-store.ts';

/** How long a call waits for a decision unless a setting says otherwise: nobody watches a task all the time. */
const LIFETIME_MS = { task: 24 * 3_600_000, chat: 10 * 60_000 };
const MAX_TIMER_MS = 2 ** 31 - 1;
const MAX_PER_RUN = 50;
const MAX_PER_OWNER = 500;

export interface ApprovalServiceDeps {
  database: Database;
  store: ApprovalStore;
  bus: EventBus;
  audit: AuditLog;
  notifications: NotificationService;
  outbox: ApprovalOutbox;
  /** The setting of how long calls wait for a decision. */
  expireAfterMs: () => number | undefined;
  runtime: Runtime;
}

interface DecideOptions {
  conversationId?: string;
  covers?: ApprovalCoverage;
  denialReason?: string | undefined;
  /** The call with the arguments of the person, reviewed. */
  edit?: EditedFacts;
}

/** Approvals of tool calls: each is decided once and valid for one execution of exactly the call that was shown. */
export class ApprovalService {
  readonly #deps: ApprovalServiceDeps;
  constructor(deps: ApprovalServiceDeps) {
    this.#deps = deps;
  }

  async list(
    caller: Caller,
    { status, ...where }: { status: 'pending' | 'all'; taskId?: string | undefined; limit: number },
  ) {
    const pendingAt = status === 'pending' ? this.#now() : undefined;
    const rows = await this.#deps.store.list({ ownerId: visibleOwner(caller), pendingAt, ...where });
    return { approvals: rows.map(toApproval) };
  }

  async get(caller: Caller, id: string): Promise<Approval> {
    return toApproval(requireOwned(caller, await this.#deps.store.find(id), 'Approval'));
  }

  /** The approval that the caller may decide now. */
  async requirePending(caller: Caller, id: string): Promise<ApprovalRow> {
    requireDecider(caller);
    const found = requireOwned(caller, await this.#deps.store.find(id), 'Approval');
    if (found.status !== 'pending' || found.expires_at <= this.#now()) throw this.#decidedAlready(found);
    return found;
  }

  async listPending(conversationId: string): Promise<Approval[]> {
    return (await this.#deps.store.listPendingByConversation(conversationId, this.#now())).map(toApproval);
  }

  /** Requests a decision, or joins the open request for exactly this call. */
  async request(input: NewApproval): Promise<ApprovalRow> {
    const { database, store, runtime, notifications } = this.#deps;
    return database.write(async (transaction) => {
      const { scope_id: scopeId, binding } = input;
      const open = await store.findOpen(transaction.db, { scopeId, binding, now: this.#now() });
      if (open) return open.run_id === input.run_id ? open : this.#reassign(transaction, open, input);
      const row = this.#newRow(input, runtime.newId('appr'));
      await this.#checkRoom(transaction, row);
      await store.insert(transaction.db, row);
      const tool = visibleLine(row.tool);
      notifications.add(transaction, {
        userId: row.owner_id,
        type: 'approval_requested',
        title: `Approval needed: ${tool}`,
        message: row.reason,
        ...(row.task_id !== null && { taskId: row.task_id }),
        data: { approvalId: row.id, tool },
      });
      await this.#publish(transaction, row);
      return row;
    });
  }

  #newRow(input: NewApproval, id: string): ApprovalRow {
    const { runtime, expireAfterMs } = this.#deps;
    const now = runtime.now();
    const lifetime = expireAfterMs() ?? (input.task_id === null ? LIFETIME_MS.chat : LIFETIME_MS.task);
    return {
      ...input,
      reason: visibleLine(input.reason),
      id,
      status: 'pending',
      decision: null,
      requested_at: now.toISOString(),
      expires_at: new Date(now.getTime() + lifetime).toISOString(),
      decided_at: null,
      decided_by: null,
      denial_reason: null,
      used_at: null,
    };
  }

  /** Throws if another approval may not wait; `counted` are those of the owner that wait already and stay. */
  async #checkRoom({ db }: WriteTransaction, { run_id, owner_id }: ApprovalRow, counted = 0): Promise<void> {
    const counts = await this.#deps.store.countPending(db, {
      runId: run_id,
      ownerId: owner_id,
      now: this.#now(),
    });
    if (counts.ofRun >= MAX_PER_RUN)
      throw new AppError(
        'rate_limited',
        `${MAX_PER_RUN} calls of this run wait for an approval already. Wait for decisions before you make more`,
      );
    if (counts.ofOwner - counted >= MAX_PER_OWNER)
      throw new AppError(
        'rate_limited',
        `${MAX_PER_OWNER} calls for this user wait for an approval already, so no more can be requested now`,
      );
  }

  /** The run that requested the approval is gone, so the decision goes to the run that requests it now. */
  async #reassign(
    transaction: WriteTransaction,
    open: ApprovalRow,
    { run_id, call_id }: NewApproval,
  ): Promise<ApprovalRow> {
    if (open.status === 'pending') await this.#checkRoom(transaction, { ...open, run_id }, 1);
    return (await this.#deps.store.reassign(transaction.db, open.id, { run_id, call_id })) ?? open;
  }

  /**
   * Decides an approval once; of concurrent decisions one wins and the others fail with `wrong_state`. An `allow-always`
   * decides the pending calls that it covers as well.
   */
  async decide(
    caller: Caller,
    id: string,
    decision: ApprovalDecision,
    { conversationId, covers = 'kind', denialReason, edit }: DecideOptions = {},
  ): Promise<DecidedApproval> {
    requireDecider(caller);
    const { database, store } = this.#deps;
    await this.expire();
    return database.write(async (transaction) => {
      const found = requireOwned(caller, await store.find(id, transaction.db), 'Approval');
      if (conversationId !== undefined && found.conversation_id !== conversationId)
        throw new AppError('not_found', 'Approval not found');
      const now = this.#now();
      const change = {
        status: decision === 'deny' ? 'denied' : 'approved',
        decision,
        decided_at: now,
        decided_by: caller.userId,
        denial_reason: denialReason ?? null,
      };
      const row = await store.decide(transaction.db, id, { ...change, ...edit }, now);
      if (!row) throw this.#decidedAlready(found);
      await this.#record(transaction, row, {
        ...(decision === 'allow-always' && { covers: coveredBy(row, covers) }),
        ...(denialReason !== undefined && { denialReason }),
        ...(edit && { requested: JSON.parse(row.arguments) as unknown, edited: shownOf(edit) }),
      });
      if (decision !== 'allow-always') return { approval: toApproval(row) };
      await this.#allow(transaction, row, covers);
      const also = await store.pendingCovered(transaction.db, row, covers, now);
      for (const each of also) {
        const covered = await store.decide(transaction.db, each.id, change, now);
        if (covered) await this.#record(transaction, covered, { coveredBy: row.id });
      }
      return {
        approval: toApproval(row),
        ...(also.length > 0 && { alsoAllowed: also.map((each) => each.id) }),
      };
    });
  }

  /** The audit entry and the event of a decision. */
  async #record(
    transaction: WriteTransaction,
    row: ApprovalRow,
    details: Record<string, unknown>,
  ): Promise<void> {
    await this.#deps.audit.append(transaction, {
      kind: 'tool',
      tool: row.tool,
      userId: row.decided_by ?? undefined,
      conversationId: row.conversation_id ?? undefined,
      taskId: row.task_id ?? undefined,
      callId: row.call_id,
      arguments: { approvalId: row.id, ...details },
      result: row.status,
      approved: row.status === 'approved',
      ...(row.decision !== null && { decision: row.decision }),
    });
    await this.#publish(transaction, row);
  }

  #decidedAlready({ status, expires_at }: ApprovalRow): AppError {
    return new AppError(
      'wrong_state',
      status === 'expired' || (status === 'pending' && expires_at <= this.#now())
        ? 'The approval has expired'
        : `The approval is already ${status}`,
    );
  }

  async #allow({ db }: WriteTransaction, row: ApprovalRow, coverage: ApprovalCoverage): Promise<void> {
    const { store } = this.#deps;
    const { scope_id, tool, covers, covers_key, decided_by, decided_at } = row;
    const [by, at] = [decided_by ?? '', decided_at ?? ''];
    if (coverage === 'tool') return store.allow(db, scope_id, tool, by, at);
    if (covers === null || covers_key === null) return;
    await store.allowKind(db, { scope_id, covers_key, tool, covers, allowed_by: by, allowed_at: at });
  }

  /** Resolves once the approval is decided or expired; rejects with the signal's reason. */
  async waitForDecision(id: string, signal: AbortSignal): Promise<ApprovalRow> {
    const { bus, store, runtime } = this.#deps;
    const changed = Promise.withResolvers<ApprovalRow>();
    const unsubscribe = bus.on('approval', ({ row }) => {
      if (row.id === id && row.status !== 'pending') changed.resolve(row);
    });
    const abort = () => changed.reject(signal.reason as Error);
    signal.addEventListener('abort', abort);
    let timer: NodeJS.Timeout | undefined;
    try {
      signal.throwIfAborted();
      const row = await store.find(id);
      if (row && row.status !== 'pending') return row;
      const left = row ? Date.parse(row.expires_at) - runtime.now().getTime() : 0;
      // Beyond the longest timer, the regular expiry decides.
      const wait = Math.min(Math.max(0, left) + 1, MAX_TIMER_MS);
      timer = setTimeout(() => void this.expire().catch(changed.reject), wait);
      return await changed.promise;
    } finally {
      clearTimeout(timer);
      unsubscribe();
      signal.removeEventListener('abort', abort);
    }
  }

  /** Expires approvals that were not decided in time, which counts as a denial. */
  async expire(): Promise<void> {
    await this.#close((transaction, now) => this.#deps.store.expire(transaction.db, now));
  }

  /** Expires the pending approvals of a run that no longer waits for them. */
  async expireForRun(runId: string): Promise<void> {
    await this.#close((transaction, now) => this.#deps.store.expireForRun(transaction.db, runId, now));
  }

  async #close(
    update: (transaction: WriteTransaction, now: string) => Promise<ApprovalRow[]>,
  ): Promise<void> {
    await this.#deps.database.write(async (transaction) => {
      for (const row of await update(transaction, this.#now())) await this.#publish(transaction, row);
    });
  }

  #now(): string {
    return this.#deps.runtime.now().toISOString();
  }

  /** Call it once for each change of the status. */
  async #publish(transaction: WriteTransaction, row: ApprovalRow): Promise<void> {
    await this.#deps.outbox.addApproval(transaction, row);
    transaction.afterCommit(() => this.#deps.bus.emit('approval', { row, approval: toApproval(row) }));
  }
}

function requireDecider(caller: Caller): void {
  if (caller.token) throw new AppError('forbidden', 'API tokens cannot decide approvals. Sign in as a user');
}

/** The arguments of the person, with secrets masked. */
const shownOf = ({ edited }: Pick<ApprovalRow, 'edited'>) =>
  edited === null ? undefined : (JSON.parse(edited) as { shown: Approval['params'] }).shown;

const coveredBy = (row: ApprovalRow, coverage: ApprovalCoverage) =>
  coverage === 'tool' ? `every call of ${row.tool}` : (row.covers ?? 'this call');

export const toApproval = (row: ApprovalRow): Approval => ({
  id: row.id,
  status: row.status as Approval['status'],
  ...(row.conversation_id !== null && { conversationId: row.conversation_id }),
  ...(row.task_id !== null && { taskId: row.task_id }),
  toolName: row.tool,
  params: JSON.parse(row.arguments) as Approval['params'],
  cwd: row.cwd,
  securityLevel: row.danger as Approval['securityLevel'],
  reason: row.reason,
  ...(row.scripts !== null && { scripts: JSON.parse(row.scripts) as Approval['scripts'] }),
  ...(row.diff !== null && { diff: JSON.parse(row.diff) as FileDiff }),
  ...(row.edited !== null && { editedParams: shownOf(row) }),
  ...(row.covers !== null && { alwaysCovers: row.covers }),
  requestedAt: row.requested_at,
  expiresAt: row.expires_at,
  ...(row.decision !== null && { decision: row.decision as ApprovalDecision }),
  ...(row.decided_at !== null && { decidedAt: row.decided_at }),
  ...(row.decided_by !== null && { decidedBy: row.decided_by }),
  ...(row.denial_reason !== null && { denialReason: row.denial_reason }),
});
