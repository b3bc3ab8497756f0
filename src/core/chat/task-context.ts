import { type Caller, requireOwned } from '../auth/caller.ts';
import type { ConversationRow } from '../storage/rows/conversations.ts';
import type { Database } from '../storage/database.ts';
import type { Runtime } from '../runtime.ts';
import { type StoredTask, toTask } from '../tasks/task-mapping.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import { fenceData } from '../text/fence-data.ts';

/** Characters of each field that a model is shown. */
const EXCERPT = 8000;

export interface TaskContextDeps {
  database: Database;
  store: TaskStore;
  runtime: Runtime;
}
export interface FoundContext {
  taskId: string | null;
  ticketId: string | null;
  /** The context for the model; undefined if there is none. */
  text: string | undefined;
}

/** Describes to a model the task or ticket that a question is about. */
export class TaskContext {
  readonly #deps: TaskContextDeps;
  constructor(deps: TaskContextDeps) {
    this.#deps = deps;
  }

  /** A ticket that no task of the caller came from is only named. */
  async find(
    caller: Caller,
    query: { taskId?: string | undefined; ticketId?: string | undefined },
  ): Promise<FoundContext> {
    const { taskId, ticketId = null } = query;
    const row =
      taskId !== undefined
        ? requireOwned(caller, await this.#deps.store.find(taskId), 'Task')
        : ticketId === null
          ? undefined
          : await this.#ofTicket(caller, ticketId);
    const lines = [...(ticketId === null ? [] : [`Ticket: ${ticketId}`]), ...(row ? describe(row) : [])];
    return { taskId: row?.id ?? null, ticketId, text: lines.length === 0 ? undefined : this.#render(lines) };
  }

  /** The task of a conversation. Access was checked when they were linked. */
  async ofConversation({ task_id }: ConversationRow): Promise<string | undefined> {
    const row = task_id === null ? undefined : await this.#deps.store.find(task_id);
    return row && this.#render(describe(row));
  }

  #render(lines: string[]): string {
    return fenceData(this.#deps.runtime, 'The question is about this task', lines.join('\n'));
  }

  async #ofTicket(caller: Caller, ticketId: string): Promise<StoredTask | undefined> {
    return this.#deps.database.read
      .selectFrom('tasks')
      .selectAll()
      .where('source_id', '=', ticketId)
      .where('owner_id', '=', caller.userId)
      .orderBy('seq', 'desc')
      .limit(1)
      .executeTakeFirst();
  }
}

function describe(row: StoredTask): string[] {
  const { id, title, status, sourceId, description, prompt, result, error } = toTask(row);
  const fields = { Task: id, Title: title, Status: status, 'Came from': sourceId };
  const long = { Description: description, Prompt: prompt, Result: result?.output, Error: error?.message };
  const known = (entry: [string, string | undefined]): entry is [string, string] => !!entry[1];
  return [
    ...Object.entries(fields)
      .filter(known)
      .map(([name, text]) => `${name}: ${text}`),
    ...Object.entries(long)
      .filter(known)
      .map(([name, text]) => `${name}:\n${excerpt(text)}`),
  ];
}

const excerpt = (text: string): string =>
  text.length <= EXCERPT ? text : `${text.slice(0, EXCERPT)}\n(${text.length - EXCERPT} more characters)`;
