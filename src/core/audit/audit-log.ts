import { hash } from 'node:crypto';
import type { Collector, Database, WriteTransaction } from '../storage/database.ts';
import type { AuditRow } from '../storage/rows/audit.ts';
import { storableText } from '../storage/storable-text.ts';
import type { Runtime } from '../runtime.ts';

/** An event to record; its arguments must not contain secrets. */
export interface AuditEntry {
  kind: 'security' | 'tool';
  /** The tool, or the name of the event, such as `auth.sign_in`. */
  tool: string;
  userId?: string | undefined;
  conversationId?: string | undefined;
  taskId?: string | undefined;
  /** The id of the call, the same in its intent and its result entry. */
  callId?: string;
  /** The network address of the request. */
  address?: string | undefined;
  arguments?: Record<string, unknown>;
  /** The outcome, such as `ok` or `refused`. */
  result: string;
  approved?: boolean;
  decision?: string;
}

/** The previous hash of the first entry. */
export const FIRST_HASH = '0'.repeat(64);

/** Appends entries in the transaction of the event they record; each contains the hash of the previous entry. */
export class AuditLog implements Collector<Unchained> {
  readonly #runtime: Runtime;
  readonly #engine: Pick<Database['engine'], 'enter'>;
  constructor(runtime: Runtime, engine: Pick<Database['engine'], 'enter'>) {
    this.#runtime = runtime;
    this.#engine = engine;
  }

  async append(transaction: WriteTransaction, entry: AuditEntry): Promise<void> {
    transaction.collect(this, {
      id: this.#runtime.newId('audit'),
      at: this.#runtime.now().toISOString(),
      kind: entry.kind,
      tool: storableText(entry.tool),
      user_id: entry.userId ?? null,
      conversation_id: entry.conversationId ?? null,
      task_id: entry.taskId ?? null,
      call_id: entry.callId === undefined ? null : storableText(entry.callId),
      address: entry.address ?? null,
      arguments: JSON.stringify(entry.arguments ?? {}),
      result: storableText(entry.result),
      approved: entry.approved === undefined ? null : Number(entry.approved),
      decision: entry.decision ?? null,
    });
  }

  /** Chains the entries of a transaction to the last one of the log. */
  async store({ db, insertLater }: Parameters<Collector<Unchained>['store']>[0], entries: Unchained[]) {
    await this.#engine.enter(db, 'audit');
    const last = await db
      .selectFrom('audit_log')
      .select(['seq', 'hash'])
      .orderBy('seq', 'desc')
      .limit(1)
      .executeTakeFirst();
    let { seq, hash: previous_hash } = last ?? { seq: 0, hash: FIRST_HASH };
    for (const entry of entries) {
      const row = { seq: ++seq, ...entry, previous_hash };
      previous_hash = hashOfEntry(row);
      insertLater('audit_log', { ...row, hash: previous_hash });
    }
  }
}

/** An entry before it has its place in the chain. */
type Unchained = Omit<AuditRow, 'seq' | 'previous_hash' | 'hash'>;

/** SHA-256 over all columns in a fixed order, including the hash of the previous entry. */
export function hashOfEntry(row: Omit<AuditRow, 'hash'>): string {
  return hash(
    'sha256',
    JSON.stringify([
      row.seq,
      row.id,
      row.at,
      row.kind,
      row.tool,
      row.user_id,
      row.conversation_id,
      row.task_id,
      row.address,
      row.arguments,
      row.result,
      row.approved,
      row.decision,
      row.previous_hash,
      // Entries without a call id keep the hash that they had before this column existed.
      ...(row.call_id === null ? [] : [row.call_id]),
    ]),
  );
}
