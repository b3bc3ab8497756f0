import { z } from 'zod';
import { timestampSchema } from '../../contract/primitives.ts';
import { safeParse } from '../../contract/safe-parse.ts';
import { createTaskSchema, exportedTaskSchema } from '../../contract/task.ts';
import type { ImportReport } from '../../contract/tasks.ts';
import { type Caller, isAdmin, mayRunCommands } from '../auth/caller.ts';
import { AppError } from '../errors.ts';
import type { Database } from '../storage/database.ts';
import { checkPlainJson } from '../text/plain-json.ts';
import type { NewTask } from './task-columns.ts';
import { isFromInside } from './task-origin.ts';
import { rowOfImport } from './task-rows.ts';
import { isTerminal } from './task-states.ts';
import type { TaskStore } from './task-store.ts';

/** Tasks per transaction. */
const BATCH = 200;

/** An exported task: what a caller may say of a new one holds here too. */
const importedTaskSchema = exportedTaskSchema.extend({
  ...createTaskSchema.omit({ idempotencyKey: true, maxAttempts: true, env: true }).shape,
  // The id names a folder, so it is held to what an id can be.
  id: z.string().regex(/^[\w-]{1,100}$/, 'Not an id'),
  attempts: z.int().min(0).max(1000).default(0),
  maxAttempts: z.int().min(1).max(20).default(3),
  updatedAt: timestampSchema.optional(),
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
        const index = start + offset;
        try {
          checkPlainJson(task);
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          errors.push({ index, error: error.message });
          continue;
        }
        const parsed = safeParse(importedTaskSchema, task);
        if (!parsed.success) {
          errors.push({ index, error: describe(parsed.error) });
          continue;
        }
        const row = toRow(caller, parsed.data);
        // What is held would run them once it is released; what is finished only says that they were there.
        if (row.held === 1 && row.verify && row.may_command === 0)
          errors.push({ index, error: 'verify: Requires permission to run commands, and a trusted task' });
        else rows.push(row);
      }
      if (rows.length > 0) imported += await this.#insert(caller, rows);
    }
    const skipped = tasks.length - errors.length - imported;
    return { message: `Imported ${imported} of ${tasks.length} tasks`, imported, skipped, errors };
  }

  #insert(caller: Caller, rows: NewTask[]): Promise<number> {
    const { database, store } = this.#deps;
    return database.write(async (transaction) => {
      await caller.auditEntry?.append(transaction);
      const inserted = new Set<string>();
      for (const row of rows) {
        if (inserted.has(row.id) || (await store.lockHead(transaction, row.id))) continue;
        const message = row.held === 1 ? 'Imported; waiting for its release' : `Imported as ${row.status}`;
        await store.insert(transaction, row, [{ type: 'created', message, data: { imported: true } }]);
        inserted.add(row.id);
      }
      return inserted.size;
    });
  }
}

/**
 * An import gives a task no trust and no rights that it did not have. A file from before exports said whether a task is
 * trusted leaves it to the source: text from outside is untrusted. Such a task may run no commands either, regardless of the
 * file says and the importing user; any other has the rights of the importing user, never those of the file.
 */
function toRow(caller: Caller, task: z.output<typeof importedTaskSchema>): NewTask {
  const isFinished = isTerminal(task.status);
  const isInside = isFromInside(task);
  const isTrusted = isAdmin(caller) && (task.trusted ?? isInside);
  const updatedAt = task.updatedAt ?? task.createdAt;
  return rowOfImport(
    { ...task, updatedAt, ...(isFinished && { completedAt: task.completedAt ?? updatedAt }) },
    isFinished,
    {
      owner_id: caller.userId,
      status: isFinished ? task.status : 'pending',
      held: isFinished ? 0 : 1,
      may_command: isTrusted && isInside && mayRunCommands(caller) ? 1 : 0,
      is_trusted: isTrusted ? 1 : 0,
    },
  );
}

function describe(error: z.ZodError): string {
  const [issue] = error.issues;
  const path = issue?.path.map(String).join('.') ?? '';
  return path === '' ? (issue?.message ?? 'Not a task') : `${path}: ${issue?.message}`;
}
