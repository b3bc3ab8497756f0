import type { CreateTask } from '../../contract/task.ts';
import { safeParse } from '../../contract/safe-parse.ts';
import { isAmbientVariable } from '../../contract/ambient-variables.ts';
import {
  type TaskEnvironment,
  type TaskEnvironmentPatch,
  taskEnvironmentSchema,
} from '../../contract/task-environment.ts';
import { AppError } from '../errors.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import type { TaskRow } from '../storage/rows/tasks.ts';

/** A task, or a schedule that gives its variables to its tasks. */
type Stored = Pick<TaskRow, 'owner_id' | 'env'>;

/** Keeps the environment variables of tasks, sealed for their owner; only runs read them. */
export class TaskEnvironments {
  readonly #keys: KeyRing;
  constructor(keys: KeyRing) {
    this.#keys = keys;
  }

  /** The columns that hold the variables. */
  columnsOf(env: TaskEnvironment | undefined, ownerId: string): Pick<TaskRow, 'env' | 'env_names'> {
    if (env === undefined || Object.keys(env).length === 0) return { env: null, env_names: null };
    return {
      env: this.#keys.box.seal(JSON.stringify(env), contextOf(ownerId)),
      env_names: JSON.stringify(Object.keys(env).sort()),
    };
  }

  /** The columns after a change; throws where they would hold too much. */
  columnsAfter(before: Stored, change: TaskEnvironmentPatch): Pick<TaskRow, 'env' | 'env_names'> {
    const kept = Object.entries({ ...this.read(before), ...change }).filter(([, value]) => value !== null);
    const { data, error } = safeParse(taskEnvironmentSchema, Object.fromEntries(kept));
    if (data) return this.columnsOf(data, before.owner_id);
    throw new AppError('validation', 'Validation failed', {
      details: error.issues.map(({ message }) => ({ path: 'task.env', message })),
    });
  }

  read({ env, owner_id }: Stored): TaskEnvironment {
    return env === null ? {} : (JSON.parse(this.#keys.box.open(env, contextOf(owner_id))) as TaskEnvironment);
  }

  /**
   * What two requests with one idempotency key must have in common: not the shell that they were sent from, and of the
   * other values only a keyed digest, because it is stored.
   */
  comparable(request: Pick<CreateTask, 'env' | 'umask'>): unknown {
    const { env = {}, ...body } = request;
    delete body.umask;
    const chosen = Object.entries(env).filter(([name]) => !isAmbientVariable(name));
    return chosen.length === 0
      ? body
      : { ...body, env: this.#keys.hmac('codes', `task environment ${JSON.stringify(chosen)}`) };
  }
}

const contextOf = (ownerId: string) => `tasks:env:${ownerId}`;
