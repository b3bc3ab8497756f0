import type { CreateTask } from '../../contract/task.ts';
import type { AgentRegistry, Assignment } from '../agents/agent-registry.ts';
import { AppError } from '../errors.ts';
import type { ModelProviders } from '../providers/model-providers.ts';
import type { QueuePause } from '../queue/queue-pause.ts';

export const pausedWarning = 'The queue is paused, so this task waits. Resume it with: svc queue resume';

export interface NewTaskCheckDeps {
  registry: Pick<AgentRegistry, 'choose'>;
  modelProviders: Pick<ModelProviders, 'checkModel'>;
  pause: Pick<QueuePause, 'isPaused'>;
}

/**
 * Says what keeps a new task from running, before it is created. A name that is wrong is an error; for what can still be
 * configured, a task waits, unless a client follows it, which would wait with it.
 */
export class NewTaskCheck {
  readonly #deps: NewTaskCheckDeps;
  constructor(deps: NewTaskCheckDeps) {
    this.#deps = deps;
  }

  /** Throws an `AppError` with the field that is wrong, or returns warnings. */
  async warningsOf(
    assignment: Assignment,
    { attached, ...work }: Pick<CreateTask, 'attached' | 'model' | 'provider'>,
  ): Promise<string[]> {
    const { registry, pause } = this.#deps;
    const choice = registry.choose(assignment);
    if ('missing' in choice && attached) throw invalid('assignedAgent', choice.missing);
    const model = await this.modelWarning(work, attached);
    return [
      ...('missing' in choice ? [`The task waits for an agent. ${choice.missing}`] : []),
      ...(model !== undefined && !('missing' in choice) ? [model] : []),
      ...(pause.isPaused ? [pausedWarning] : []),
    ];
  }

  /** Throws an `AppError` where the model is unknown; a provider that is not configured is one only if it `mustWork` now. */
  async modelWarning(
    { model, provider }: Pick<CreateTask, 'model' | 'provider'>,
    mustWork = false,
  ): Promise<string | undefined> {
    if (model === undefined && provider === undefined) return undefined;
    try {
      return await this.#deps.modelProviders.checkModel({ model, provider });
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'unavailable')) throw error;
      if (mustWork) throw invalid('provider', error.message);
      return error.message;
    }
  }
}

const invalid = (path: string, message: string) =>
  new AppError('validation', message, { details: [{ path, message }] });
