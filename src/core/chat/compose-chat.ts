import type { ApprovalService } from '../approvals/approval-service.ts';
import { builtinAdapter } from '../agents/adapters/builtin-adapter.ts';
import { type Feature, TIDY_EVERY_MS } from '../lifecycle.ts';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { Outbound } from '../outbound/outbound-fetch.ts';
import type { ModelProviders } from '../providers/model-providers.ts';
import type { TaskFinishWatcher } from '../tasks/task-finish-watcher.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import type { ModelCalls } from '../providers/model-calls.ts';
import { Compactor } from './compactor.ts';
import { CompletionService } from './completion-service.ts';
import { ConversationCompaction } from './conversation-compaction.ts';
import { ConversationFeeds } from './conversation-feeds.ts';
import { ConversationRemoval } from './conversation-removal.ts';
import { ConversationService } from './conversation-service.ts';
import { ConversationStore } from './conversation-store.ts';
import { Recall, type RecallDeps } from './recall/recall.ts';
import { clearFinishedRuns } from './runs/clear-finished-runs.ts';
import { hasOpenMessages } from './runs/open-messages.ts';
import type { RunDeps, Runs } from './runs/compose-runs.ts';
import { TaskContext } from './task-context.ts';

type Own = 'compactor' | 'conversations' | 'conversationFeeds' | 'conversationStore' | 'recall';
type Renamed = 'calls' | 'finishWatcher' | 'outbound' | 'providers' | 'store';
export interface ChatDeps extends Omit<RunDeps, Own | Renamed> {
  preferences: RecallDeps['preferences'];
  approvals: ApprovalService;
  modelCalls: ModelCalls;
  modelProviders: ModelProviders;
  registry: AgentRegistry;
  finishWatcher: TaskFinishWatcher;
  taskStore: TaskStore;
  toolOutbound: Outbound;
}

/** Conversations with models, and the models that work with tools, which are loaded at their first use. */
export function composeChat({ registry, ...services }: ChatDeps) {
  const { database, approvals, modelProviders: providers, taskStore } = services;
  const deps = {
    ...services,
    providers,
    calls: services.modelCalls,
    finishWatcher: services.finishWatcher,
    // What models fetch must not reach the daemon's own API.
    outbound: services.toolOutbound,
    store: taskStore,
  };
  const store = new ConversationStore(database);
  const compactor = new Compactor({ ...deps, store });
  const taskContext = new TaskContext({ ...deps, store: taskStore });
  const recall = new Recall(deps);
  const conversationFeeds = new ConversationFeeds(deps.runtime.now().getTime().toString(36));
  const conversations = new ConversationService({
    ...deps,
    registry,
    feeds: conversationFeeds,
    store,
    compactor,
    taskContext,
    pendingApprovals: (conversationId) => approvals.listPending(conversationId),
  });
  const conversationCompaction = new ConversationCompaction({
    ...deps,
    conversations,
    compactor,
    taskContext,
    feeds: conversationFeeds,
  });
  const completions = new CompletionService({
    ...deps,
    conversations,
    compactor,
    taskContext,
    recall: (...question) => recall.forQuestion(...question),
  });
  let loading: Promise<Runs> | undefined;
  const loadRuns = () =>
    (loading ??= import('./runs/compose-runs.ts').then(({ composeRuns }) =>
      composeRuns({ ...deps, compactor, conversations, conversationFeeds, conversationStore: store, recall }),
    ));
  const builtinAgent = builtinAdapter({
    missing: () => providers.missing(),
    work: async (...order) => (await loadRuns()).agentWork.execute(...order),
    check: async (_, order) => (await loadRuns()).check(order),
  });
  registry.register(builtinAgent);
  const conversationRemoval = new ConversationRemoval({ database, store });
  const offered = { conversations, conversationCompaction, conversationRemoval, completions, loadRuns };
  return {
    services: offered,
    lifecycle: {
      /** Messages with tools that an earlier daemon left waiting or unfinished. */
      async start() {
        if (await hasOpenMessages(database)) await (await loadRuns()).waitingMessages.start();
      },
      stop: async () => (await loading)?.close(),
      tidy: { everyMs: TIDY_EVERY_MS, run: () => clearFinishedRuns(database), shared: 'chat runs' },
    },
  } satisfies Feature<typeof offered>;
}
