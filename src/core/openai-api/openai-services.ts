import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { BudgetApprovals } from '../budgets/budget-approvals.ts';
import type { Budgets } from '../budgets/budgets.ts';
import type { Config } from '../config/config.ts';
import type { RateLimits } from '../limits/rate-limits.ts';
import { EmbeddingCalls } from '../providers/embedding-calls.ts';
import type { ModelCalls } from '../providers/model-calls.ts';
import type { ModelProviders } from '../providers/model-providers.ts';
import type { Runtime } from '../runtime.ts';
import type { TaskEventReader } from '../tasks/task-event-reader.ts';
import type { TaskOutputReader } from '../tasks/task-output-reader.ts';
import type { TaskService } from '../tasks/task-service.ts';
import type { UsageLedger } from '../usage/usage-ledger.ts';
import { AgentModels } from './agent-models.ts';
import { EmbeddingService } from './embedding-service.ts';
import { ModelCatalog } from './model-catalog.ts';
import { ModelRouter } from './model-router.ts';
import { OpenAiApi } from './openai-api.ts';
import { RoutedCalls } from './routed-calls.ts';
import { Spending } from './spending.ts';

export interface OpenAiServices {
  api: OpenAiApi;
  embeddings: EmbeddingService;
  models: ModelCatalog;
}

/** What the API of OpenAI is made of. */
export interface OpenAiApiDeps {
  config: Config;
  modelProviders: ModelProviders;
  modelCalls: ModelCalls;
  budgets: Budgets;
  budgetApprovals: BudgetApprovals;
  limits: RateLimits;
  registry: AgentRegistry;
  tasks: TaskService;
  taskEvents: TaskEventReader;
  taskOutputReader: TaskOutputReader;
  usage: UsageLedger;
  runtime: Runtime;
  reportBug: (error: unknown) => void;
}

/** Builds what answers at /v1. */
export function openServices(deps: OpenAiApiDeps): OpenAiServices {
  const { modelProviders: providers, modelCalls } = deps;
  const spending = new Spending(deps);
  const router = new ModelRouter({ ...deps, providers });
  const agents = new AgentModels(deps);
  const calls = new RoutedCalls({ router, calls: modelCalls, spending });
  return {
    api: new OpenAiApi({ ...deps, calls, agents, spending }),
    embeddings: new EmbeddingService({
      ...deps,
      providers,
      embeddings: new EmbeddingCalls(providers),
      spending,
    }),
    models: new ModelCatalog({ providers, router, agents }),
  };
}
