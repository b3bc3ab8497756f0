import type {
  Approval,
  ApprovalCoverage,
  ApprovalDecision,
  DecidedApproval,
  Decider,
  DecisionSignature,
} from '../../contract/approvals.ts';
import { visibleLine } from '../../contract/visible-text.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { type Caller, isAdmin, requireOwned, visibleOwner } from '../auth/caller.ts';
import type { DaemonIdentity } from '../daemon-identity.ts';
import { unlessAborted } from '../async/unless-aborted.ts';
import { AppError } from '../errors.ts';
import type { EventBus } from '../events.ts';
import type { NotificationService } from '../notifications/notification-service.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import type { ApprovalRow } from '../storage/rows/approvals.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import type { Runtime } from '../runtime.ts';
import type { ApprovalOutbox } from './approval-outbox.ts';
import { type EditedFacts, needsAdmin, type NewApproval } from './approval-facts.ts';
import type { ApprovalStore } from './approval-store.ts';
import { type DecisionSignatures, SignatureRefused } from './decision-signatures.ts';
import { auditedDecider, coveredBy } from './decision-audit.ts';
import { editedShown, toApproval } from './to-approval.ts';

/** How long a call waits for a decision unless a setting says otherwise: people do not watch a task all the time. */
const LIFETIME_MS = { task: 24 * 3_600_000, chat: 10 * 60_000 };
const MAX_TIMER_MS = 2 ** 31 - 1;
/** How soon a daemon of a cluster notices a decision, if nothing tells it. */
const LOOK_EVERY_MS = 1000;
const MAX_PER_RUN = 50;
const MAX_PER_OWNER = 500;

export interface ApprovalServiceDeps {
  database: Database;
  store: ApprovalStore;
  bus: EventBus;
  audit: AuditLog;
  notifications: NotificationService;
  outbox: ApprovalOutbox;
  signatures: DecisionSignatures;
  keys: Pick<KeyRing, 'hmac'>;
  daemon: Pick<DaemonIdentity, 'isInCluster'>;
  /** The setting of how long calls wait for a decision. */
  expireAfterMs: () => number | undefined;
  runtime: Runtime;
}

interface DecideOptions {
  conversationId?: string;
  covers?: ApprovalCoverage;
  denialReason?: string | undefined;
  signature?: DecisionSignature | undefined;
  /** The call with the arguments of the person, reviewed: what is stored of it, and the row as the person was shown it. */
  edit?: { facts: EditedFacts; shown: ApprovalRow };
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
    return { approvals: rows.map((row) => this.show(row)) };
  }

  async get(caller: Caller, id: string): Promise<Approval> {
    return this.show(requireOwned(caller, await this.#deps.store.find(id), 'Approval'));
  }

  /** The approval as those see it who decide on it, with what they sign. */
  show(row: ApprovalRow): Approval & { binding: string } {
    const { signatures, keys } = this.#deps;
    const isPending = row.status === 'pending';
    return {
      ...toApproval(row),
      // A keyed hash, because the binding covers secrets that the approval masks.
      binding: keys.hmac('codes', `approval binding ${row.id} ${row.binding}`),
      ...(isPending && signatures.needsSignature(row.danger) && { needsSignature: true }),
    };
  }

  /** The approval that the caller may decide now. */
  async requirePending(caller: Caller, id: string): Promise<ApprovalRow> {
    requireDecider(caller);
    const found = requireOwned(caller, await this.#deps.store.find(id), 'Approval');
    if (found.status !== 'pending' || found.expires_at <= this.#now()) throw this.#decidedAlready(found);
    return found;
  }

  async listPending(conversationId: string): Promise<Approval[]> {
    const rows = await this.#deps.store.listPendingByConversation(conversationId, this.#now());
    return rows.map((row) => this.show(row));
  }

  /**
   * Requests a decision, or joins the open request for exactly this call. `attach` inserts what belongs to a new request.
   */
  async request(
    input: NewApproval,
    attach?: (transaction: WriteTransaction, row: ApprovalRow) => Promise<void>,
  ): Promise<ApprovalRow> {
    const { database, store, runtime, notifications } = this.#deps;
    return database.write(async (transaction) => {
      const { scope_id: scopeId, binding } = input;
      // Equal calls share an approval, and a user has room for so many.
      await database.engine.lockUser(transaction.db, input.owner_id);
      const open = await store.findOpen(transaction.db, { scopeId, binding, now: this.#now() });
      if (open) return open.run_id === input.run_id ? open : this.#reassign(transaction, open, input);
      const row = this.#newRow(input, runtime.newId('appr'));
      await this.#checkRoom(transaction, row);
      await store.insert(transaction.db, row);
      await attach?.(transaction, row);
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
    const isInChat = input.task_id === null && input.conversation_id !== null;
    const lifetime = expireAfterMs() ?? LIFETIME_MS[isInChat ? 'chat' : 'task'];
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
      decider: null,
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
   * decides the pending calls that it covers as well. Every decision of every client comes through here, so that none
   * passes by the check of its signature.
   */
  async decide(
    caller: Caller,
    id: string,
    decision: ApprovalDecision,
    options: DecideOptions = {},
  ): Promise<DecidedApproval> {
    requireDecider(caller);
    await this.expire();
    try {
      return await this.#deps.database.write((transaction) =>
        this.#decide(transaction, caller, id, decision, options),
      );
    } catch (error) {
      if (error instanceof SignatureRefused) await this.#recordRefusal(caller, id, decision, error);
      throw error;
    }
  }

  async #decide(
    transaction: WriteTransaction,
    caller: Caller,
    id: string,
    decision: ApprovalDecision,
    { conversationId, covers = 'kind', denialReason, signature, edit }: DecideOptions,
  ): Promise<DecidedApproval> {
    const { store, signatures } = this.#deps;
    const { owner_id: ownerId } = requireOwned(caller, await store.find(id, transaction.db), 'Approval');
    // One decision at a time: an `allow-always` decides other approvals as well.
    await this.#deps.database.engine.lockUser(transaction.db, ownerId);
    const found = requireOwned(caller, await store.findLocked(id, transaction.db), 'Approval');
    if (conversationId !== undefined && found.conversation_id !== conversationId)
      throw new AppError('not_found', 'Approval not found');
    const now = this.#now();
    if (found.status !== 'pending' || found.expires_at <= now) throw this.#decidedAlready(found);
    if (decision !== 'deny' && needsAdmin(found) && !isAdmin(caller))
      throw new AppError('forbidden', 'Others use this budget, too: only an administrator can add to it');
    const shown = this.show(edit?.shown ?? found);
    const proposed = { shown, isChanged: !!edit, decision, covers, denialReason, signature };
    const decided = await signatures.check(transaction.db, caller, proposed, [
      found.danger,
      ...(edit ? [edit.facts.danger] : []),
    ]);
    const change = {
      status: decision === 'deny' ? 'denied' : 'approved',
      decision,
      decided_at: now,
      decided_by: caller.userId,
      denial_reason: denialReason ?? null,
      decider: JSON.stringify(decided.decider),
    };
    const row = await store.decide(transaction.db, id, { ...change, ...edit?.facts }, now);
    if (!row) throw this.#decidedAlready(found);
    await this.#record(transaction, row, {
      ...(decision === 'allow-always' && { covers: coveredBy(row, covers) }),
      ...(denialReason !== undefined && { denialReason }),
      ...(edit && { requested: JSON.parse(row.arguments) as unknown, edited: editedShown(edit.facts) }),
      ...auditedDecider(decided),
    });
    if (decision !== 'allow-always') return { approval: this.show(row) };
    const { decider } = decided;
    await this.#allow(transaction, row, covers, decider.signed);
    const alsoAllowed: string[] = [];
    for (const each of await store.pendingCovered(transaction.db, row, covers, now)) {
      // What an unsigned "always" covers is no way around the signature that another call needs.
      if (!decider.signed && signatures.needsSignature(each.danger)) continue;
      const through = JSON.stringify({ ...decider, through: row.id } satisfies Decider);
      const covered = await store.decide(transaction.db, each.id, { ...change, decider: through }, now);
      if (!covered) continue;
      await this.#record(transaction, covered, { coveredBy: row.id });
      alsoAllowed.push(each.id);
    }
    return { approval: this.show(row), ...(alsoAllowed.length > 0 && { alsoAllowed }) };
  }

  async #recordRefusal(
    { userId }: Caller,
    approvalId: string,
    decision: ApprovalDecision,
    { message }: SignatureRefused,
  ): Promise<void> {
    const { database, audit } = this.#deps;
    await database.write((transaction) =>
      audit.append(transaction, {
        kind: 'security',
        tool: 'approval.signature_refused',
        userId,
        arguments: { approvalId, decision, reason: message },
        result: 'refused',
      }),
    );
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

  async #allow(
    { db }: WriteTransaction,
    row: ApprovalRow,
    coverage: ApprovalCoverage,
    isSigned: boolean,
  ): Promise<void> {
    const { store } = this.#deps;
    const signed = isSigned ? 1 : 0;
    const { scope_id, tool, covers, covers_key, decided_by, decided_at } = row;
    const [by, at] = [decided_by ?? '', decided_at ?? ''];
    if (coverage === 'tool')
      return store.allow(db, { scope_id, tool, allowed_by: by, allowed_at: at, signed });
    if (covers === null || covers_key === null) return;
    await store.allowKind(db, { scope_id, covers_key, tool, covers, allowed_by: by, allowed_at: at, signed });
  }

  /** Resolves once the approval is decided or expired; rejects with the signal's reason. */
  async waitForDecision(id: string, signal: AbortSignal): Promise<ApprovalRow> {
    const { bus, store, runtime, daemon } = this.#deps;
    const changed = Promise.withResolvers<ApprovalRow>();
    // It may reject while the row is read below, before it is awaited.
    changed.promise.catch(() => undefined);
    const look = () => {
      const found = store.find(id).then((row) => {
        if (row && row.status !== 'pending') changed.resolve(row);
      });
      found.catch(changed.reject);
    };
    const subscriptions = [
      // What comes from another daemon is without the arguments, which only the row has.
      bus.on('approval', ({ row }) => {
        if (row.id === id && row.status !== 'pending') look();
      }),
      bus.onGap(look),
    ];
    let timer: NodeJS.Timeout | undefined;
    const looking = daemon.isInCluster ? setInterval(look, LOOK_EVERY_MS) : undefined;
    try {
      signal.throwIfAborted();
      const row = await store.find(id);
      if (row && row.status !== 'pending') return row;
      const left = row ? Date.parse(row.expires_at) - runtime.now().getTime() : 0;
      // Beyond the longest timer, the regular expiry decides.
      const wait = Math.min(Math.max(0, left) + 1, MAX_TIMER_MS);
      timer = setTimeout(() => void this.expire().catch(changed.reject), wait);
      return await unlessAborted(changed.promise, signal);
    } finally {
      clearTimeout(timer);
      clearInterval(looking);
      for (const unsubscribe of subscriptions) unsubscribe();
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
    transaction.afterCommit(() => this.#deps.bus.emit('approval', { row, approval: this.show(row) }));
  }
}

function requireDecider(caller: Caller): void {
  if (caller.token) throw new AppError('forbidden', 'API tokens cannot decide approvals. Sign in as a user');
}
