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
  /** What the model is told; undefined when there is nothing to tell. */
  text: string | undefined;
}

/** Tells a model of the task or ticket that a question is about. */
export class TaskContext {
  readonly #deps: TaskContextDeps;
  constructor(deps: TaskContextDeps) {
    this.#deps = deps;
  }

  /** Of a ticket that no task of the caller came from, only its id is known. */
  async find(
    caller: Caller,
    wish: { taskId?: string | undefined; ticketId?: string | undefined },
  ): Promise<FoundContext> {
    const { taskId, ticketId = null } = wish;
    const row =
      taskId !== undefined
        ? requireOwned(caller, await this.#deps.store.find(taskId), 'Task')
        : ticketId === null
          ? undefined
          : await this.#ofTicket(caller, ticketId);
    const lines = [...(ticketId === null ? [] : [`Ticket: ${ticketId}`]), ...(row ? describe(row) : [])];
    return { taskId: row?.id ?? null, ticketId, text: lines.length === 0 ? undefined : this.#tell(lines) };
  }

  /** What is known of a conversation's task; whoever linked them was allowed to. */
  async ofConversation({ task_id }: ConversationRow): Promise<string | undefined> {
    const row = task_id === null ? undefined : await this.#deps.store.find(task_id);
    return row && this.#tell(describe(row));
  }

  #tell(lines: string[]): string {
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
