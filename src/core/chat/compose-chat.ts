import type { ClusterServices } from '../cluster/cluster-services.ts';
import type { Membership } from '../cluster/membership.ts';
import { messageOf } from '../errors.ts';
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
import { hasLeftMessages, hasOpenMessages } from './runs/open-messages.ts';
import type { RunDeps, Runs } from './runs/compose-runs.ts';
import { TaskContext } from './task-context.ts';
import { TurnFollower } from './turn-follower.ts';
import { ClusterTurns } from './turns/cluster-turns.ts';
import { LocalTurns, type Turns } from './turns/turns.ts';

/** How often a daemon of a cluster looks for messages of daemons that are gone. */
const ADOPT_EVERY_MS = 5000;

type Own =
  | 'compactor'
  | 'conversationTurns'
  | 'conversations'
  | 'conversationFeeds'
  | 'turnFollower'
  | 'conversationStore'
  | 'recall';
type Renamed = 'calls' | 'finishWatcher' | 'outbound' | 'providers' | 'store';
export interface ChatDeps extends Omit<RunDeps, Own | Renamed> {
  cluster: Pick<ClusterServices['cluster'], 'runStreams'>;
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
  const { database, approvals, modelProviders: providers, taskStore, membership, log } = services;
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
  const { runStreams } = services.cluster;
  const conversationFeeds = new ConversationFeeds(
    deps.runtime.now().getTime().toString(36),
    runStreams && {
      log: runStreams,
      announce: (conversationId, runId) => deps.bus.emit('turn_began', { conversationId, runId }),
    },
  );
  const turnFollower =
    runStreams &&
    new TurnFollower({ database, log: runStreams, feeds: conversationFeeds, bus: deps.bus, reports: log });
  const conversationTurns: Turns = services.daemon.isInCluster ? new ClusterTurns(deps) : new LocalTurns();
  const conversations = new ConversationService({
    ...deps,
    turns: conversationTurns,
    registry,
    feeds: conversationFeeds,
    onFollow: (id) => turnFollower?.watch(id),
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
  let adopting: NodeJS.Timeout | undefined;
  /** Takes over the messages of daemons that are gone. */
  const adopt = async (members: Membership) => {
    try {
      const present = [...(await members.present())];
      if (present.length > 0 && (await hasLeftMessages(database, present)))
        await (await loadRuns()).waitingMessages.start();
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'the messages of other daemons could not be taken over');
    }
  };
  let loading: Promise<Runs> | undefined;
  const loadRuns = () =>
    (loading ??= import('./runs/compose-runs.ts').then(({ composeRuns }) =>
      composeRuns({
        ...deps,
        compactor,
        conversations,
        conversationFeeds,
        turnFollower,
        conversationStore: store,
        conversationTurns,
        recall,
      }),
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
        if (membership) adopting = setInterval(() => void adopt(membership), ADOPT_EVERY_MS).unref();
      },
      stop: async () => {
        clearInterval(adopting);
        turnFollower?.stop();
        await (await loading)?.close();
        await conversationTurns.stop();
      },
      tidy: { everyMs: TIDY_EVERY_MS, run: () => clearFinishedRuns(database), shared: 'chat runs' },
    },
  } satisfies Feature<typeof offered>;
}
