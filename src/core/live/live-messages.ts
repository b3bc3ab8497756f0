import type { LiveMessage, LiveTask } from '../../contract/live.ts';
import { sparseTaskFields, taskFields } from '../../contract/task.ts';
import type { CoreEvents } from '../events.ts';
import type { Runtime } from '../runtime.ts';
import type { TaskHead } from '../storage/rows/tasks.ts';
import type { RunProgressReports } from '../tasks/run-progress.ts';
import { columnOf, type FieldColumn, headColumns } from '../tasks/task-columns.ts';
import { listedFields, type StoredTask, toListedTask, toOutcome } from '../tasks/task-mapping.ts';

const heads: ReadonlySet<string> = new Set(headColumns);
/** What a row of a list shows; every event knows it, except for the error, which comes with the event that brought it. */
const rowFields = listedFields(taskFields.filter((field) => heads.has(columnOf[field]) || field === 'error'));
const sparseFields = listedFields(sparseTaskFields);

type TaskPayload = CoreEvents['task'];

/** Makes the messages that many subscribers get, each of them once. */
export class LiveMessages {
  readonly #deps: { runtime: Pick<Runtime, 'now'>; runProgress: RunProgressReports };
  readonly #sparse = new WeakMap<TaskPayload, LiveMessage>();
  readonly #rows = new WeakMap<TaskPayload, LiveMessage>();
  readonly #outputs = new WeakMap<object, LiveMessage>();
  readonly #progress = new WeakMap<object, LiveMessage>();

  constructor(deps: { runtime: Pick<Runtime, 'now'>; runProgress: RunProgressReports }) {
    this.#deps = deps;
  }

  /** A task for clients that watch no topics. */
  sparseTask(payload: TaskPayload): LiveMessage {
    return once(this.#sparse, payload, () => this.#task(payload, sparseFields));
  }

  /** A task with everything that a row of a list shows. */
  task(payload: TaskPayload): LiveMessage {
    return once(this.#rows, payload, () => {
      const { task } = payload;
      const progress = this.#deps.runProgress.of(task.id);
      return this.#task(payload, rowFields, { ...outcomeOf(task), ...(progress && { progress }) });
    });
  }

  output(payload: CoreEvents['task_output']): LiveMessage {
    const { task, piece } = payload;
    return once(this.#outputs, payload, () => ({
      type: 'output',
      at: this.#now(),
      taskId: task.id,
      ...piece,
    }));
  }

  progress(payload: CoreEvents['run_progress']): LiveMessage {
    const { task, progress } = payload;
    return once(this.#progress, payload, () => ({
      type: 'progress',
      at: this.#now(),
      taskId: task.id,
      progress,
    }));
  }

  #task(
    { task, event }: TaskPayload,
    fields: readonly FieldColumn[],
    more: Partial<LiveTask> = {},
  ): LiveMessage {
    return { type: 'task', at: this.#now(), task: { ...toListedTask(task, fields), ...more }, event };
  }

  #now(): string {
    return this.#deps.runtime.now().toISOString();
  }
}

function once<K extends object>(known: WeakMap<K, LiveMessage>, key: K, make: () => LiveMessage) {
  const message = known.get(key) ?? make();
  known.set(key, message);
  return message;
}

/** The event of a run that ended carries the whole row. */
const outcomeOf = ({ result }: TaskHead & { result?: StoredTask['result'] }): Pick<LiveTask, 'outcome'> =>
  result === null || result === undefined ? {} : { outcome: toOutcome(result) };
