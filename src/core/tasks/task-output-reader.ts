import type { TaskOutputQuery } from '../../contract/task-output.ts';
import { type Caller, requireOwned } from '../auth/caller.ts';
import { toTask } from './task-mapping.ts';
import type { TaskOutputs } from './task-outputs.ts';
import type { TaskStore } from './task-store.ts';

/** Reads what agents printed, on behalf of a caller. */
export class TaskOutputReader {
  readonly #deps: { store: TaskStore; outputs: Pick<TaskOutputs, 'has' | 'read'> };
  constructor(deps: { store: TaskStore; outputs: Pick<TaskOutputs, 'has' | 'read'> }) {
    this.#deps = deps;
  }

  /**
   * The bytes of one stream of the latest attempt. Where its files are gone, or its agent has none, the answer in the
   * result of the task is what it printed to stdout.
   */
  async read(
    caller: Caller,
    id: string,
    { stream, offset, follow = false }: TaskOutputQuery,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>> {
    const { store, outputs } = this.#deps;
    const task = requireOwned(caller, await store.find(id), 'Task');
    if (outputs.has(id)) return outputs.read(id, stream, { offset, follow, signal });
    const text = stream === 'stdout' ? (toTask(task).result?.output ?? '') : '';
    return once(Buffer.from(text).subarray(offset));
  }
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  if (bytes.length > 0) yield bytes;
}
