import { createModelFetch } from '../outbound/model-fetch.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import { Compactor } from './compactor.ts';
import { CompletionService } from './completion-service.ts';
import { ConversationService, type ConversationServiceParts } from './conversation-service.ts';
import { ConversationStore } from './conversation-store.ts';
import { ModelCalls } from './model-calls.ts';
import { ModelProviders, type ModelProvidersParts } from './providers/model-providers.ts';
import { configuredOrigins } from './providers/provider-connections.ts';
import { TaskContext } from './task-context.ts';

export interface ChatParts extends Omit<ModelProvidersParts, 'fetch'> {
  store: TaskStore;
  /** What the tools of a conversation wait for. */
  pendingApprovals: ConversationServiceParts['pendingApprovals'];
}

/** Chat with models and what it needs of the core. */
export function joinChat({ store: taskStore, ...parts }: ChatParts) {
  const { config, database } = parts;
  const modelOutbound = createModelFetch(
    () => config.get('outbound.allowPrivate'),
    () => configuredOrigins(config),
  );
  const modelProviders = new ModelProviders({ ...parts, fetch: modelOutbound.fetch });
  const store = new ConversationStore(database);
  const calls = new ModelCalls({ providers: modelProviders });
  const compactor = new Compactor({ ...parts, store, calls });
  const taskContext = new TaskContext({ ...parts, store: taskStore });
  const shared = { ...parts, providers: modelProviders, calls, compactor, taskContext };
  const conversations = new ConversationService({ ...shared, store });
  const completions = new CompletionService({ ...shared, conversations });
  // What models with tools are made of, once there are any.
  const runParts = { providers: modelProviders, calls, compactor, taskContext, conversationStore: store };
  return { modelProviders, modelOutbound, conversations, completions, runParts };
}
