import { DatabaseSync } from 'node:sqlite';

export interface AuditedCall {
  seq: number;
  callId: string;
  result: string;
  decision: string | null;
}
export interface StoredApproval {
  id: string;
  callId: string;
  status: string;
  decision: string | null;
  usedAt: string | null;
}

/** The rows of agents' work, read beside the daemon. */
export class AgentRows {
  readonly #database: DatabaseSync;
  constructor(file: string) {
    this.#database = new DatabaseSync(file, { readOnly: true });
  }

  /** What the audit log says of calls of tools, after an entry. */
  calls(afterSeq: number): AuditedCall[] {
    return this.#database
      .prepare(
        `select seq, call_id, result, decision from audit_log
         where seq > ? and kind = 'tool' and call_id is not null order by seq`,
      )
      .all(afterSeq)
      .map(({ seq, call_id, result, decision }) => ({
        seq: Number(seq),
        callId: String(call_id),
        result: String(result),
        decision: textOrNull(decision),
      }));
  }

  approvals(): StoredApproval[] {
    return this.#database
      .prepare('select id, call_id, status, decision, used_at from approvals')
      .all()
      .map(({ id, call_id, status, decision, used_at }) => ({
        id: String(id),
        callId: String(call_id),
        status: String(status),
        decision: textOrNull(decision),
        usedAt: textOrNull(used_at),
      }));
  }

  /** How often each task was taken back from the dead letters. */
  revivals(): Map<string, number> {
    const rows = this.#database
      .prepare("select task_id, count(*) as n from dead_letters where status = 'resolved' group by 1")
      .all();
    return new Map(rows.map(({ task_id, n }) => [String(task_id), Number(n)]));
  }

  /** Messages whose answer is under way or waits. */
  openMessages(): number {
    const row = this.#database
      .prepare(
        "select count(*) as n from agent_runs where kind = 'message' and status in ('attached', 'waiting', 'running')",
      )
      .get();
    return Number(row?.['n']);
  }

  /** Runs of messages that have ended and whose answer is in no message. */
  lostAnswers(): string[] {
    return this.#database
      .prepare(
        `select id from agent_runs where kind = 'message' and status in ('completed', 'failed')
         and not exists (select 1 from messages where id = options ->> 'messageId')`,
      )
      .all()
      .map(({ id }) => String(id));
  }

  close(): void {
    this.#database.close();
  }
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);
