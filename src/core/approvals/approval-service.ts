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

/** Calls of tools that wait for a person: decided once, good for one run of exactly what was shown. */
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

  async pendingOf(conversationId: string): Promise<Approval[]> {
    return (await this.#deps.store.pendingOfConversation(conversationId, this.#now())).map(toApproval);
  }

  /** Asks for a decision, or joins the question that is open for exactly this call. */
  async request(wanted: NewApproval): Promise<ApprovalRow> {
    const { database, store, runtime, notifications } = this.#deps;
    const open = await store.findOpen(wanted.scope_id, wanted.binding, this.#now());
    if (open) return open.run_id === wanted.run_id ? open : this.#takeOver(open, wanted);
    const now = runtime.now();
    const row: ApprovalRow = {
      ...wanted,
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
      this.#tell(transaction, row);
    });
    return row;
  }

  /** The run that asked first is gone; what is decided is for the one that asks now. */
  async #takeOver(open: ApprovalRow, { run_id, call_id }: NewApproval): Promise<ApprovalRow> {
    const { database, store } = this.#deps;
    const taken = await database.write(({ db }) => store.takeOver(db, open.id, { run_id, call_id }));
    return taken ?? open;
  }

  /** Decides once; of several at the same moment one wins and the others hear that it is decided. */
  async decide(
    caller: Caller,
    id: string,
    decision: ApprovalDecision,
    conversationId?: string,
  ): Promise<Approval> {
    if (caller.token) throw new AppError('forbidden', 'Only a person decides, never an API token');
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
            : `The approval is ${found.status} already`,
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
      this.#tell(transaction, row);
      return row;
    });
    return toApproval(decided);
  }

  /** Resolves once the approval is decided or has expired; rejects with the signal's reason. */
  async decided(id: string, signal: AbortSignal): Promise<ApprovalRow> {
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

  /** Ends what waited too long: that is a no. */
  async expire(): Promise<void> {
    await this.#end((transaction, now) => this.#deps.store.expire(transaction.db, now));
  }

  /** Ends what a run asked for and no longer waits for. */
  async withdraw(runId: string): Promise<void> {
    await this.#end((transaction, now) => this.#deps.store.withdraw(transaction.db, runId, now));
  }

  async #end(end: (transaction: WriteTransaction, now: string) => Promise<ApprovalRow[]>): Promise<void> {
    await this.#deps.database.write(async (transaction) => {
      for (const row of await end(transaction, this.#now())) this.#tell(transaction, row);
    });
  }

  #now(): string {
    return this.#deps.runtime.now().toISOString();
  }

  #tell(transaction: WriteTransaction, row: ApprovalRow): void {
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
