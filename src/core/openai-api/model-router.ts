import type { FailureClass } from '../../contract/task.ts';
import type { Caller } from '../auth/caller.ts';
import { BudgetReached } from '../budgets/budget-reached.ts';
import type { Config } from '../config/config.ts';
import { AppError } from '../errors.ts';
import type { ModelRequest } from '../providers/model-choice.ts';
import { ModelError } from '../providers/model-error.ts';
import type { ModelProviders } from '../providers/model-providers.ts';
import type { ResolvedModel } from '../providers/resolved-model.ts';
import { usedByCaller } from '../usage/used-by.ts';
import { RouteFailed } from './route-failed.ts';
import { mayUseModel, requireModel } from './token-models.ts';

/** Failures of the request itself, which no other model would answer better. */
const ownFailures: FailureClass[] = ['invalid_input', 'cancelled'];
/** Failures of a request that another model may well answer. */
const ownCodes = ['context_too_long', 'not_found'];

export interface ModelRouterDeps {
  providers: Pick<ModelProviders, 'resolve'>;
  config: Pick<Config, 'get'>;
}

/** Finds the models that a name stands for: one of a provider, or those of a route, which are tried in order. */
export class ModelRouter {
  readonly #deps: ModelRouterDeps;
  constructor(deps: ModelRouterDeps) {
    this.#deps = deps;
  }

  /**
   * Calls `attempt` with the model, or with each model of the route until one succeeds. It must throw before anything of
   * an answer was sent, and nothing afterwards.
   */
  async run<T>(
    caller: Caller,
    name: string,
    attempt: (model: ResolvedModel) => Promise<T>,
  ): Promise<{ model: ResolvedModel; answer: T }> {
    const route = this.#routeOf(name);
    if (!route) {
      const model = await this.#resolve(caller, { model: name });
      requireModel(caller, nameOf(model));
      return { model, answer: await attempt(model) };
    }
    const isGranted = mayUseModel(caller, name);
    const members = route.filter((member) => isGranted || mayUseModel(caller, member));
    if (members.length === 0) requireModel(caller, name);
    const failures: { model: string; error: AppError }[] = [];
    for (const member of members) {
      try {
        const model = await this.#resolveMember(caller, member);
        return { model, answer: await attempt(model) };
      } catch (error) {
        if (!(error instanceof AppError) || !mayAnotherHelp(error)) throw error;
        failures.push({ model: member, error });
      }
    }
    throw new RouteFailed(name, failures);
  }

  /** The names of the routes that the caller may use. */
  routes(caller: Caller): string[] {
    const routes = Object.entries(this.#deps.config.get('routes'));
    return routes
      .filter(([name, members]) => [name, ...members].some((each) => mayUseModel(caller, each)))
      .map(([name]) => name);
  }

  #routeOf(name: string): readonly string[] | undefined {
    const routes = this.#deps.config.get('routes');
    return Object.hasOwn(routes, name) ? routes[name] : undefined;
  }

  /** Who uses the model is named only now: `Spending` looks at the budgets, once for each call. */
  async #resolve(caller: Caller, request: ModelRequest): Promise<ResolvedModel> {
    const model = await this.#deps.providers.resolve(request, undefined);
    return { ...model, usedBy: usedByCaller(caller) };
  }

  /** A member of a route may name a server that is gone. */
  async #resolveMember(caller: Caller, member: string): Promise<ResolvedModel> {
    const slash = member.indexOf('/');
    const request = { provider: member.slice(0, slash), model: member.slice(slash + 1) };
    try {
      return await this.#resolve(caller, request);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'validation') throw error;
      throw new AppError('unavailable', error.message, { isLasting: true, cause: error });
    }
  }
}

/** `provider/model`. */
export const nameOf = ({ provider, modelId }: Pick<ResolvedModel, 'provider' | 'modelId'>): string =>
  `${provider}/${modelId}`;

function mayAnotherHelp(error: AppError): boolean {
  // Another model may cost nothing, or count for other budgets.
  if (error instanceof BudgetReached) return true;
  if (!(error instanceof ModelError)) return error.code === 'unavailable';
  const { class: kind, code } = error.failure;
  return ownCodes.includes(code) || !ownFailures.includes(kind);
}
