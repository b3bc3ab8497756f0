import type { Task } from '../../contract/task.ts';
import type { Caller } from '../auth/caller.ts';
import type { Runtime } from '../runtime.ts';
import type { RunProgressReports } from '../tasks/run-progress.ts';
import type { TaskService } from '../tasks/task-service.ts';
import { describeTask } from './describe-task.ts';
import { type TaskState, toTaskState } from './task-state.ts';
import type { ServedAnswer } from './served-tool.ts';

export interface TaskViewDeps {
  tasks: Pick<TaskService, 'get'>;
  runProgress: Pick<RunProgressReports, 'of'>;
  runtime: Pick<Runtime, 'newSecret'>;
}

/** Reads tasks as models see them. */
export class TaskViews {
  readonly #deps: TaskViewDeps;
  constructor(deps: TaskViewDeps) {
    this.#deps = deps;
  }

  /** The task now; throws `not_found` for one that is not the caller's. */
  async read(caller: Caller, id: string): Promise<TaskState> {
    return this.stateOf(await this.#deps.tasks.get(caller, id));
  }

  /** A task that was read, with how far its run is. */
  stateOf(task: Task): TaskState {
    const progress = this.#deps.runProgress.of(task.id);
    return toTaskState({ ...task, ...(progress && { progress }) });
  }

  answer(state: TaskState, first?: string): Extract<ServedAnswer, { text: string }> {
    const text = describeTask(state, this.#deps.runtime);
    return { structured: { ...state }, text: first === undefined ? text : `${first}\n${text}` };
  }
}
