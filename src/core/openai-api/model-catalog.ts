import type { OpenAiModel } from '../../contract/openai/models.ts';
import type { Caller } from '../auth/caller.ts';
import { AppError } from '../errors.ts';
import type { ModelProviders } from '../providers/model-providers.ts';
import type { AgentModels } from './agent-models.ts';
import type { ModelRouter } from './model-router.ts';
import { mayUseModel } from './token-models.ts';

export interface ModelCatalogDeps {
  providers: Pick<ModelProviders, 'models'>;
  router: ModelRouter;
  agents: AgentModels;
}

/** The models that a caller can name: those of the providers, routes and agents. */
export class ModelCatalog {
  readonly #deps: ModelCatalogDeps;
  constructor(deps: ModelCatalogDeps) {
    this.#deps = deps;
  }

  async list(caller: Caller): Promise<OpenAiModel[]> {
    const { providers, router, agents } = this.#deps;
    const { models } = await providers.models({});
    const ofProviders = models
      .map(({ provider, id }) => entry(`${provider}/${id}`, provider))
      .filter(({ id }) => mayUseModel(caller, id));
    const own = [...router.routes(caller), ...agents.names(caller)].map((name) => entry(name, 'svc'));
    return [...own, ...ofProviders];
  }

  /** Throws `not_found` where the caller can name no such model. */
  async find(caller: Caller, id: string): Promise<OpenAiModel> {
    const found = (await this.list(caller)).find((model) => model.id === id);
    if (found) return found;
    const message = `There is no model "${id.slice(0, 100)}". GET /v1/models lists them`;
    throw new AppError('not_found', message, { details: [{ path: 'model', message }] });
  }
}

const entry = (id: string, owner: string): OpenAiModel => ({
  id,
  object: 'model',
  created: 0,
  owned_by: owner,
});
