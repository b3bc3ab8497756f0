import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { DayBudgets } from '../budgets/day-budgets.ts';
import type { Config } from '../config/config.ts';
import type { Feature } from '../lifecycle.ts';
import type { RateLimits } from '../limits/rate-limits.ts';
import { EmbeddingCalls } from '../providers/embedding-calls.ts';
import type { ModelCalls } from '../providers/model-calls.ts';
import type { ModelProviders } from '../providers/model-providers.ts';
import type { Runtime } from '../runtime.ts';
import type { TaskEventReader } from '../tasks/task-event-reader.ts';
import type { TaskService } from '../tasks/task-service.ts';
import { AgentModels } from './agent-models.ts';
import { EmbeddingService } from './embedding-service.ts';
import { ModelCatalog } from './model-catalog.ts';
import { ModelRouter } from './model-router.ts';
import { OpenAiApi } from './openai-api.ts';
import { RoutedCalls } from './routed-calls.ts';
import { Spending } from './spending.ts';

export interface OpenAiApiServices {
  openaiApi: OpenAiApi;
  openaiEmbeddings: EmbeddingService;
  openaiModels: ModelCatalog;
}

export interface OpenAiApiFeatureDeps {
  config: Config;
  modelProviders: ModelProviders;
  modelCalls: ModelCalls;
  budgets: DayBudgets;
  limits: RateLimits;
  registry: AgentRegistry;
  tasks: TaskService;
  taskEvents: TaskEventReader;
  runtime: Runtime;
  reportBug: (error: unknown) => void;
}

/** Models and agents for programs that speak the API of OpenAI. */
export function composeOpenAiApi(deps: OpenAiApiFeatureDeps): Feature<OpenAiApiServices> {
  const { modelProviders: providers, modelCalls } = deps;
  const spending = new Spending(deps);
  const router = new ModelRouter({ ...deps, providers });
  const agents = new AgentModels(deps);
  const calls = new RoutedCalls({ router, calls: modelCalls, spending });
  const embeddings = new EmbeddingCalls(providers);
  return {
    services: {
      openaiApi: new OpenAiApi({ ...deps, calls, agents, spending }),
      openaiEmbeddings: new EmbeddingService({ providers, embeddings, spending }),
      openaiModels: new ModelCatalog({ providers, router, agents }),
    },
  };
}
