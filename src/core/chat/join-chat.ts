import type { Metrics } from '../health/metrics.ts';
import { createModelFetch, type ModelFetch } from '../outbound/model-fetch.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import { Compactor } from './compactor.ts';
import { CompletionService } from './completion-service.ts';
import { ConversationService, type ConversationServiceParts } from './conversation-service.ts';
import { ConversationStore } from './conversation-store.ts';
import { ModelCalls } from './model-calls.ts';
import { ModelProviders, type ModelProvidersParts } from './providers/model-providers.ts';
import { configuredOrigins } from './providers/provider-connections.ts';
import type { Recall } from '../memory/recall/recall.ts';
import { TaskContext } from './task-context.ts';

/** How models are asked, where it is not as usual. */
export interface ModelOptions {
  /** Takes the place of the fetch that is given to it. */
  fetch?: (usual: ModelFetch) => ModelFetch;
  /** How long an answer may be silent. */
  stallMs?: number;
  /** How long it may take. */
  longestMs?: number;
  /** How long an agent waits before it tries a step again. */
  retryMs?: number;
}

export interface ChatParts extends Omit<ModelProvidersParts, 'fetch'> {
  store: TaskStore;
  /** What the tools of a conversation wait for. */
  pendingApprovals: ConversationServiceParts['pendingApprovals'];
  /** What of the memory fits a question. */
  recall: Recall['about'];
  models: ModelOptions;
  metrics: Metrics;
}

/** Chat with models and what it needs of the core. */
export function joinChat({ store: taskStore, models, ...parts }: ChatParts) {
  const { config, database } = parts;
  const modelOutbound = createModelFetch(
    () => config.get('outbound.allowPrivate'),
    () => configuredOrigins(config),
    models,
  );
  const { fetch = (usual) => usual } = models;
  const modelProviders = new ModelProviders({ ...parts, fetch: fetch(modelOutbound.fetch) });
  const store = new ConversationStore(database);
  const calls = new ModelCalls({ ...models, providers: modelProviders, metrics: parts.metrics.models });
  const compactor = new Compactor({ ...parts, store, calls });
  const taskContext = new TaskContext({ ...parts, store: taskStore });
  const shared = { ...parts, providers: modelProviders, calls, compactor, taskContext };
  const conversations = new ConversationService({ ...shared, store });
  const completions = new CompletionService({ ...shared, conversations });
  // What models with tools are made of, once there are any.
  const runParts = {
    providers: modelProviders,
    calls,
    compactor,
    taskContext,
    conversationStore: store,
    models,
  };
  return { modelProviders, modelOutbound, conversations, completions, runParts };
}
