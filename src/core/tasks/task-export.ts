import { type Caller, visibleOwner } from '../auth/caller.ts';
import type { ExportedTask } from '../../contract/task.ts';
import type { Runtime } from '../runtime.ts';
import { isFromInside } from './task-origin.ts';
import { type StoredTask, toTask } from './task-mapping.ts';
import type { TaskScanStore } from './task-scan-store.ts';
import type { TaskCountStore } from '../storage/task-count-store.ts';

const SLICE = 200;

/** Writes all tasks of the caller as one JSON document, a slice at a time, so that memory stays flat. */
export class TaskExport {
  readonly #deps: { scan: TaskScanStore; counts: TaskCountStore; runtime: Runtime };
  constructor(deps: { scan: TaskScanStore; counts: TaskCountStore; runtime: Runtime }) {
    this.#deps = deps;
  }

  async *stream(caller: Caller): AsyncGenerator<string> {
    const { scan, counts, runtime } = this.#deps;
    const ownerId = visibleOwner(caller);
    const cells = await counts.cells(ownerId);
    const taskCount = cells.reduce((sum, cell) => sum + cell.n, 0);
    const head = JSON.stringify({ version: '1', exportedAt: runtime.now().toISOString(), taskCount });
    yield `${head.slice(0, -1)},"tasks":[`;
    let last = 0;
    // Tasks that come while it runs are left for the next export, so that the count holds.
    for (let left = taskCount; left > 0;) {
      const rows = await scan.slice(last, Math.min(SLICE, left), ownerId);
      if (rows.length === 0) break;
      yield (last === 0 ? '' : ',') + rows.map((row) => JSON.stringify(toExportedTask(row))).join(',');
      last = rows.at(-1)?.seq ?? last;
      left -= rows.length;
    }
    yield ']}';
  }
}

/** The task, and whether it is trusted where its source does not say so already: an import goes by the same rule. */
function toExportedTask(row: StoredTask): ExportedTask {
  const task = toTask(row);
  const trusted = row.is_trusted === 1;
  return trusted && isFromInside(task) ? task : { ...task, trusted };
}
