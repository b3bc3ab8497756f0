import { z } from 'zod';
import { timestampSchema } from '../../contract/primitives.ts';
import { createTaskSchema, taskSchema } from '../../contract/task.ts';
import type { ImportReport } from '../../contract/tasks.ts';
import { type Caller, mayRunCommands } from '../auth/caller.ts';
import type { Database } from '../storage/database.ts';
import type { NewTask } from './task-columns.ts';
import { isTerminal } from './task-states.ts';
import type { TaskStore } from './task-store.ts';

/** Tasks per transaction. */
const BATCH = 200;

/** Lists are sorted by the text of their times, so that all have the same form. */
const importedTimeSchema = timestampSchema.transform((text) => new Date(text).toISOString());

/** An exported task: what a caller may say of a new one holds here too. */
const importedTaskSchema = taskSchema.extend({
  ...createTaskSchema.omit({ idempotencyKey: true, maxAttempts: true }).shape,
  // The id names a folder, so it is held to what an id can be.
  id: z.string().regex(/^[\w-]{1,100}$/, 'Not an id'),
  attempts: z.int().min(0).max(1000).default(0),
  maxAttempts: z.int().min(1).max(20).default(3),
  createdAt: importedTimeSchema,
  updatedAt: importedTimeSchema.optional(),
  startedAt: importedTimeSchema.optional(),
  completedAt: importedTimeSchema.optional(),
});

/** Takes tasks of an export in: ids that exist are skipped, unfinished ones are held until they are released. */
export class TaskImport {
  readonly #deps: { database: Database; store: TaskStore };
  constructor(deps: { database: Database; store: TaskStore }) {
    this.#deps = deps;
  }

  async run(caller: Caller, tasks: unknown[]): Promise<ImportReport> {
    const errors: ImportReport['errors'] = [];
    let imported = 0;
    // Checked and stored a batch at a time: between two of them the event loop is there for others.
    for (let start = 0; start < tasks.length; start += BATCH) {
      const rows: NewTask[] = [];
      for (const [offset, task] of tasks.slice(start, start + BATCH).entries()) {
        const parsed = importedTaskSchema.safeParse(task);
        if (parsed.success) rows.push(toRow(caller, parsed.data));
        else errors.push({ index: start + offset, error: describe(parsed.error) });
      }
      if (rows.length > 0) imported += await this.#insert(rows);
    }
    const skipped = tasks.length - errors.length - imported;
    return { message: `Imported ${imported} of ${tasks.length} tasks`, imported, skipped, errors };
  }

  #insert(rows: NewTask[]): Promise<number> {
    const { database, store } = this.#deps;
    return database.write(async (transaction) => {
      const inserted = new Set<string>();
      for (const row of rows) {
        if (inserted.has(row.id) || (await store.findHead(row.id, transaction.db))) continue;
        const message = row.held === 1 ? 'Imported; waiting for its release' : `Imported as ${row.status}`;
        store.insert(transaction, row, [{ type: 'created', message, data: { imported: true } }]);
        inserted.add(row.id);
      }
      return inserted.size;
    });
  }
}

function toRow(caller: Caller, task: z.output<typeof importedTaskSchema>): NewTask {
  const hasEnded = isTerminal(task.status);
  const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value));
  return {
    id: task.id,
    owner_id: caller.userId,
    title: task.title,
    status: hasEnded ? task.status : 'pending',
    held: hasEnded ? 0 : 1,
    priority: task.priority,
    source: task.source,
    source_id: task.sourceId ?? null,
    source_url: task.sourceUrl ?? null,
    repository: task.repository ?? null,
    branch: task.branch ?? null,
    labels: JSON.stringify(task.labels),
    assigned_agent: task.assignedAgent ?? null,
    agent_type: hasEnded ? (task.agentType ?? null) : null,
    attempts: hasEnded ? task.attempts : 0,
    max_attempts: task.maxAttempts,
    may_command: mayRunCommands(caller) ? 1 : 0,
    created_at: task.createdAt,
    updated_at: task.updatedAt ?? task.createdAt,
    started_at: hasEnded ? (task.startedAt ?? null) : null,
    completed_at: hasEnded ? (task.completedAt ?? task.updatedAt ?? task.createdAt) : null,
    scheduled_for: null,
    retried_from: task.retriedFrom ?? null,
    idempotency_key: null,
    cwd: task.cwd ?? null,
    error: hasEnded ? json(task.error) : null,
    metadata: json(task.metadata),
    description: task.description ?? null,
    prompt: task.prompt ?? null,
    result: hasEnded ? json(task.result) : null,
  };
}

function describe(error: z.ZodError): string {
  const [issue] = error.issues;
  const path = issue?.path.map(String).join('.') ?? '';
  return path === '' ? (issue?.message ?? 'Not a task') : `${path}: ${issue?.message}`;
}
