import type { ApprovalService } from '../approvals/approval-service.ts';
import type { AgentRun } from '../agents/agent-adapter.ts';
import { builtinAdapter } from '../agents/adapters/builtin-adapter.ts';
import type { Feature } from '../lifecycle.ts';
import type { ModelCalls } from '../providers/model-calls.ts';
import { Compactor } from './compactor.ts';
import { CompletionService } from './completion-service.ts';
import { ConversationService } from './conversation-service.ts';
import { ConversationStore } from './conversation-store.ts';
import { Recall, type RecallDeps } from './recall/recall.ts';
import { forgetEndedRuns } from './runs/ended-runs.ts';
import { hasOpenMessages } from './runs/open-messages.ts';
import type { RunDeps, Runs } from './runs/compose-runs.ts';
import { TaskContext } from './task-context.ts';

const TIDY_EVERY_MS = 300_000;

type Own = 'compactor' | 'conversations' | 'conversationStore' | 'recall';
export type ChatDeps = Omit<RunDeps, Own> & RecallDeps & { approvals: ApprovalService; calls: ModelCalls };

/** Conversations with models, and the models that work with tools, which are loaded at their first use. */
export function composeChat(deps: ChatDeps) {
  const { database, approvals, providers, store: taskStore } = deps;
  const store = new ConversationStore(database);
  const compactor = new Compactor({ ...deps, store });
  const taskContext = new TaskContext({ ...deps, store: taskStore });
  const recall = new Recall(deps);
  const conversations = new ConversationService({
    ...deps,
    store,
    compactor,
    taskContext,
    pendingApprovals: (conversationId) => approvals.listPending(conversationId),
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
      composeRuns({ ...deps, compactor, conversations, conversationStore: store, recall }),
    ));
  const builtinAgent = builtinAdapter({
    missing: () => providers.missing(),
    work: async (run: AgentRun) => (await loadRuns()).agentWork.execute(run),
  });
  const services = { conversations, completions, loadRuns, builtinAgent };
  return {
    services,
    lifecycle: {
      /** Messages with tools that an earlier daemon left waiting or unfinished. */
      async start() {
        if (await hasOpenMessages(database)) await (await loadRuns()).waitingMessages.start();
      },
      stop: async () => (await loading)?.close(),
      tidy: { everyMs: TIDY_EVERY_MS, run: () => forgetEndedRuns(database) },
    },
  } satisfies Feature<typeof services>;
}
