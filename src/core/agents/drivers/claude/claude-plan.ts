import type { AgentCall, PlanEntry } from '../driver.ts';
import { fields, fieldsList, text } from './claude-messages.ts';

/** The plan that an agent keeps with its tools: one call for all of it (`TodoWrite`) or one for each entry. */
export class ClaudePlan {
  #entries = new Map<string, PlanEntry>();

  /** Takes a call that has completed; the whole plan if the call changed it. `detail` is the CLI's own record of its result. */
  change(call: AgentCall, detail: unknown): PlanEntry[] | undefined {
    const input = call.input ?? {};
    if (call.name === 'TodoWrite') this.#replace(input['todos']);
    else if (call.name === 'TaskCreate') {
      const entry = text(input['subject']);
      if (entry === undefined) return undefined;
      const id = text(fields(fields(detail)?.['task'])?.['id']) ?? String(this.#entries.size + 1);
      this.#entries.set(id, { text: entry, status: 'pending' });
    } else if (call.name === 'TaskUpdate') {
      const id = text(input['taskId']) ?? '';
      const entry = this.#entries.get(id);
      if (!entry) return undefined;
      const status = text(input['status']) ?? entry.status;
      if (status === 'deleted') this.#entries.delete(id);
      else this.#entries.set(id, { text: text(input['subject']) ?? entry.text, status });
    } else return undefined;
    return [...this.#entries.values()];
  }

  #replace(todos: unknown): void {
    this.#entries = new Map(
      fieldsList(todos).map((todo, index) => [
        String(index + 1),
        { text: text(todo['content']) ?? '', status: text(todo['status']) ?? 'pending' },
      ]),
    );
  }
}
