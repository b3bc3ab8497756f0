import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import type { Task, TaskEvent } from '../../../src/contract/task.ts';
import { Rows } from '../crash/rows.ts';
import type { Caller } from './caller.ts';
import { acknowledgedIn, type Ledger, type ReaderLog } from './ledger.ts';
import { runsFile } from './plans.ts';
import type { ShippedDaemon } from './shipped-daemon.ts';

/** A line that a run wrote itself. */
export interface RunLine {
  what: string;
  taskId: string;
  mark: string;
}

export interface StoredTask {
  id: string;
  status: string;
  attempts: number;
  /** Attempts that were given back, because a kill ended them. */
  forgiven: number;
}

/** What the daemon says in the end, what its files hold, and what the clients were promised. */
export interface Evidence {
  ledger: Ledger;
  /** What the API says of each stored or acknowledged task. */
  tasks: Map<string, { task: Task; events: TaskEvent[] }>;
  stored: StoredTask[];
  /** Task by request of the gateway. */
  requests: Map<string, string>;
  tokens: Set<string>;
  runs: RunLine[];
  doubleKeys: string[];
  integrity: string;
  audit: {
    code: number | undefined;
    text: string;
    /** Tokens by what the entries say of them. */
    created: Set<string>;
    revoked: Set<string>;
  };
  errors: string[];
  /** The events of one finished task as read without Last-Event-ID, to show that this is detected. */
  forgetful: ReaderLog | undefined;
}

const EVENTS_PAGE = 500;

/** Waits until no task is left to run; answers with those that are left after the limit. */
export async function awaitEnds(file: string, limitMs: number): Promise<StoredTask[]> {
  const end = performance.now() + limitMs;
  for (;;) {
    const open = readTables(file).stored.filter(
      ({ status }) => !['completed', 'failed', 'cancelled'].includes(status),
    );
    if (open.length === 0 || performance.now() > end) return open;
    await delay(50);
  }
}

/** Collects everything while the last daemon runs. */
export async function collectEvidence(
  daemon: ShippedDaemon,
  caller: Caller,
  ledger: Ledger,
  forgetful: ReaderLog | undefined,
): Promise<Evidence> {
  const tables = readTables(daemon.databaseFile);
  const ids = new Set(tables.stored.map(({ id }) => id));
  for (const { taskId } of acknowledgedIn(ledger)) ids.add(taskId);
  const tasks: Evidence['tasks'] = new Map();
  for (const id of ids) {
    const fact = await readTask(caller, id);
    if (fact) tasks.set(id, fact);
  }
  const { code, stdout, stderr } = await daemon.svc(['audit', 'verify']);
  const rows = new Rows(daemon.databaseFile);
  try {
    return {
      ...tables,
      ledger,
      tasks,
      runs: readRuns(join(daemon.home.folder, runsFile)),
      doubleKeys: rows.doubleKeys(),
      integrity: rows.integrity(),
      audit: { code, text: stdout + stderr, created: tables.created, revoked: tables.revoked },
      errors: daemon.errors,
      forgetful,
    };
  } finally {
    rows.close();
  }
}

async function readTask(
  caller: Caller,
  id: string,
): Promise<{ task: Task; events: TaskEvent[] } | undefined> {
  const answer = await caller.ask({ path: `/api/tasks/${id}`, expects: [200, 404] });
  if (answer?.status !== 200) return undefined;
  const { task } = answer.body as { task: Task };
  const events: TaskEvent[] = [];
  for (let hasMore = true; hasMore;) {
    const path = `/api/tasks/${id}/events?limit=${EVENTS_PAGE}&after=${events.at(-1)?.seq ?? 0}`;
    const page = await caller.ask({ path, expects: [200] });
    if (!page) return undefined;
    const body = page.body as { events: TaskEvent[]; hasMore: boolean };
    events.push(...body.events);
    ({ hasMore } = body);
  }
  return { task, events };
}

function readRuns(file: string): RunLine[] {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const [what = '', taskId = '', mark = ''] = line.split(' ');
    return { what, taskId, mark };
  });
}

function readTables(file: string) {
  const database = new DatabaseSync(file, { readOnly: true });
  const all = (query: string) => database.prepare(query).all();
  const audited = (tool: string) =>
    new Set(
      database
        .prepare('select arguments from audit_log where tool = ?')
        .all(tool)
        .map((row) => (JSON.parse(String(row['arguments'])) as { tokenId: string }).tokenId),
    );
  try {
    return {
      stored: all('select id, status, attempts, forgiven from tasks').map((row) => ({
        id: String(row['id']),
        status: String(row['status']),
        attempts: Number(row['attempts']),
        forgiven: Number(row['forgiven']),
      })),
      requests: new Map(
        all('select id, task_id from gateway_requests').map((row) => [
          String(row['id']),
          String(row['task_id']),
        ]),
      ),
      tokens: new Set(all('select id from api_tokens').map((row) => String(row['id']))),
      created: audited('tokens.created'),
      revoked: audited('tokens.revoked'),
    };
  } finally {
    database.close();
  }
}
