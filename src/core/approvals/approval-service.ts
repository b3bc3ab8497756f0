import type { Approval, ApprovalDecision } from '../../contract/approvals.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { type Caller, requireOwned, visibleOwner } from '../auth/caller.ts';
import { AppError } from '../errors.ts';
import type { EventBus } from '../events.ts';
import type { NotificationService } from '../notifications/notification-service.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import type { ApprovalRow } from '../storage/rows/approvals.ts';
import type { Runtime } from '../runtime.ts';
import type { ApprovalStore } from './approval-store.ts';

const LIFETIME_MS = 10 * 60_000;

export type NewApproval = Pick<
  ApprovalRow,
  | 'run_id'
  | 'call_id'
  | 'owner_id'
  | 'conversation_id'
  | 'task_id'
  | 'scope_id'
  | 'tool'
  | 'arguments'
  | 'cwd'
  | 'danger'
  | 'reason'
  | 'binding'
>;

export interface ApprovalServiceDeps {
  database: Database;
  store: ApprovalStore;
  bus: EventBus;
  audit: AuditLog;
  notifications: NotificationService;
  runtime: Runtime;
}

/** Approvals of tool calls: each is decided once and valid for one execution of exactly the call that was shown. */
export class ApprovalService {
  readonly #deps: ApprovalServiceDeps;
  constructor(deps: ApprovalServiceDeps) {
    this.#deps = deps;
  }

  async list(caller: Caller, { status, limit }: { status: 'pending' | 'all'; limit: number }) {
    const pendingAt = status === 'pending' ? this.#now() : undefined;
    const rows = await this.#deps.store.list({ ownerId: visibleOwner(caller), pendingAt, limit });
    return { approvals: rows.map(toApproval) };
  }

  async listPending(conversationId: string): Promise<Approval[]> {
    return (await this.#deps.store.listPendingByConversation(conversationId, this.#now())).map(toApproval);
  }

  /** Requests a decision, or joins the open request for exactly this call. */
  async request(input: NewApproval): Promise<ApprovalRow> {
    const { database, store, runtime, notifications } = this.#deps;
    const open = await store.findOpen(input.scope_id, input.binding, this.#now());
    if (open) return open.run_id === input.run_id ? open : this.#reassign(open, input);
    const now = runtime.now();
    const row: ApprovalRow = {
      ...input,
      id: runtime.newId('appr'),
      status: 'pending',
      decision: null,
      requested_at: now.toISOString(),
      expires_at: new Date(now.getTime() + LIFETIME_MS).toISOString(),
      decided_at: null,
      decided_by: null,
      used_at: null,
    };
    await database.write(async (transaction) => {
      await store.insert(transaction.db, row);
      notifications.add(transaction, {
        userId: row.owner_id,
        type: 'approval_requested',
        title: `Approval needed: ${row.tool}`,
        message: row.reason,
        ...(row.task_id !== null && { taskId: row.task_id }),
        data: { approvalId: row.id, tool: row.tool },
      });
      this.#emit(transaction, row);
    });
    return row;
  }

  /** The run that requested the approval is gone, so the decision goes to the run that requests it now. */
  async #reassign(open: ApprovalRow, { run_id, call_id }: NewApproval): Promise<ApprovalRow> {
    const { database, store } = this.#deps;
    const reassigned = await database.write(({ db }) => store.reassign(db, open.id, { run_id, call_id }));
    return reassigned ?? open;
  }

  /** Decides an approval once; of concurrent decisions one wins and the others fail with `wrong_state`. */
  async decide(
    caller: Caller,
    id: string,
    decision: ApprovalDecision,
    conversationId?: string,
  ): Promise<Approval> {
    if (caller.token)
      throw new AppError('forbidden', 'API tokens cannot decide approvals. Sign in as a user');
    const { database, store, audit } = this.#deps;
    await this.expire();
    const decided = await database.write(async (transaction) => {
      const found = requireOwned(caller, await store.find(id, transaction.db), 'Approval');
      if (conversationId !== undefined && found.conversation_id !== conversationId)
        throw new AppError('not_found', 'Approval not found');
      const now = this.#now();
      const status = decision === 'deny' ? 'denied' : 'approved';
      const row = await store.decide(
        transaction.db,
        id,
        { status, decision, decided_at: now, decided_by: caller.userId },
        now,
      );
      if (!row)
        throw new AppError(
          'wrong_state',
          found.status === 'expired' || (found.status === 'pending' && found.expires_at <= now)
            ? 'The approval has expired'
            : `The approval is already ${found.status}`,
        );
      if (decision === 'allow-always')
        await store.allow(transaction.db, row.scope_id, row.tool, caller.userId, now);
      await audit.append(transaction, {
        kind: 'tool',
        tool: row.tool,
        userId: caller.userId,
        conversationId: row.conversation_id ?? undefined,
        taskId: row.task_id ?? undefined,
        callId: row.call_id,
        arguments: { approvalId: row.id },
        result: status,
        approved: status === 'approved',
        decision,
      });
      this.#emit(transaction, row);
      return row;
    });
    return toApproval(decided);
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
      timer = setTimeout(() => void this.expire().catch(changed.reject), Math.max(0, left) + 1);
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
      for (const row of await update(transaction, this.#now())) this.#emit(transaction, row);
    });
  }

  #now(): string {
    return this.#deps.runtime.now().toISOString();
  }

  #emit(transaction: WriteTransaction, row: ApprovalRow): void {
    transaction.afterCommit(() => this.#deps.bus.emit('approval', { row, approval: toApproval(row) }));
  }
}

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
  requestedAt: row.requested_at,
  expiresAt: row.expires_at,
  ...(row.decision !== null && { decision: row.decision as ApprovalDecision }),
  ...(row.decided_at !== null && { decidedAt: row.decided_at }),
  ...(row.decided_by !== null && { decidedBy: row.decided_by }),
});
