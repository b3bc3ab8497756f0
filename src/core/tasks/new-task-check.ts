import { bestOfSchema } from '../../contract/best-of.ts';
import type { CreateTask } from '../../contract/task.ts';
import type { AgentRegistry, Assignment } from '../agents/agent-registry.ts';
import { AppError } from '../errors.ts';
import type { ModelProviders } from '../providers/model-providers.ts';
import type { Missing, PlacedTask, TaskPlacement } from './task-placement.ts';
import type { QueuePause } from '../queue/queue-pause.ts';

export const pausedWarning = 'The queue is paused, so this task waits. Resume it with: svc queue resume';

export interface NewTaskCheckDeps {
  registry: Pick<AgentRegistry, 'choose' | 'isProgram' | 'reconsider'>;
  modelProviders: Pick<ModelProviders, 'checkModel'>;
  placement: Pick<TaskPlacement, 'missing'>;
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
    assignment: PlacedTask,
    { attached, ...work }: Pick<CreateTask, 'attached' | 'assignedAgent' | 'model' | 'provider'>,
  ): Promise<string[]> {
    const { registry, placement, pause } = this.#deps;
    let missing = missingOf(placement, assignment);
    if (missing.length > 0 && attached) {
      // What was missing may be there: a person who waits would not ask without a reason.
      await registry.reconsider(assignment);
      missing = missingOf(placement, assignment);
    }
    const lasting = missing.find(({ isTemporary }) => !isTemporary);
    if (lasting && attached)
      throw invalid(
        'assignedAgent',
        `${lasting.missing}${lasting.needsLabels ? ' See: svc cluster ls' : ''}`,
      );
    const model = await this.#chosenModelWarning(assignment, work, attached);
    return [
      ...missing.map(waitText),
      ...(model !== undefined && missing.length === 0 ? [model] : []),
      ...(pause.isPaused ? [pausedWarning] : []),
    ];
  }

  /** The same of the agent that would get the task. */
  async #chosenModelWarning(
    assignment: Assignment,
    { model, provider, assignedAgent }: Pick<CreateTask, 'assignedAgent' | 'model' | 'provider'>,
    mustWork: boolean | undefined,
  ): Promise<string | undefined> {
    if (model === undefined && provider === undefined) return undefined;
    const choice = this.#deps.registry.choose(assignment);
    const chosen = 'adapter' in choice ? choice.adapter.type : assignedAgent;
    return this.modelWarning({ model, provider, assignedAgent: chosen }, mustWork);
  }

  /** Throws an `AppError` where the model is unknown; a provider that is not configured is one only if it `mustWork` now. */
  async modelWarning(
    { model, provider, assignedAgent }: Pick<CreateTask, 'model' | 'provider' | 'assignedAgent'>,
    mustWork = false,
  ): Promise<string | undefined> {
    if (model === undefined && provider === undefined) return undefined;
    // Its models are its own, so that no provider of svc knows them.
    if (provider === undefined && this.#deps.registry.isProgram(assignedAgent)) return undefined;
    try {
      return await this.#deps.modelProviders.checkModel({ model, provider });
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'unavailable')) throw error;
      if (mustWork) throw invalid('provider', error.message);
      return error.message;
    }
  }
}

/** What keeps the task from running; it starts by itself once a person has done what is missing. */
const waitText = ({ missing, isTemporary, needsLabels }: Missing) =>
  isTemporary
    ? `The task waits: ${missing}. It starts by itself after that.`
    : `The task waits for ${needsLabels ? 'a daemon' : 'an agent'}. ${missing}`;

/** What is missing for the task to run, or for its candidates. */
function missingOf(placement: Pick<TaskPlacement, 'missing'>, assignment: PlacedTask): Missing[] {
  const { best_of, assigned_agent } = assignment;
  const own = placement.missing(assignment);
  const missing = own ? [own] : [];
  if (best_of === null) return missing;
  const { agents = [assigned_agent] } = bestOfSchema.parse(JSON.parse(best_of));
  const candidates = [...new Set(agents)].flatMap((agent) =>
    missingOf(placement, { ...assignment, best_of: null, assigned_agent: agent }),
  );
  return [...missing, ...candidates];
}

const invalid = (path: string, message: string) =>
  new AppError('validation', message, { details: [{ path, message }] });
