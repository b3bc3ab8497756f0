import { realpathSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import type { Workspaces } from '../../processes/workspaces.ts';
import { PathError } from '../../paths/path-error.ts';
import type { UserStore } from '../../auth/user-store.ts';
import { AppError } from '../../errors.ts';
import type { Recall } from '../recall/recall.ts';
import { TaskLessons } from '../recall/task-lessons.ts';
import type { TaskFinishWatcher } from '../../tasks/task-finish-watcher.ts';
import { composeTools, type ToolDeps } from '../../tools/compose-tools.ts';
import type { Compactor } from '../compactor.ts';
import type { Membership } from '../../cluster/membership.ts';
import type { DaemonIdentity } from '../../daemon-identity.ts';
import type { TurnFollower } from '../turn-follower.ts';
import type { Turns } from '../turns/turns.ts';
import type { ConversationFeeds } from '../conversation-feeds.ts';
import type { ConversationService } from '../conversation-service.ts';
import type { ConversationStore } from '../conversation-store.ts';
import type { ModelOptions } from '../../providers/compose-providers.ts';
import type { ChatBudgets } from '../../budgets/chat-budgets.ts';
import type { CallCounts } from '../../providers/call-counts.ts';
import { ModelSteps } from '../../providers/model-steps.ts';
import type { UsageLedger } from '../../usage/usage-ledger.ts';
import type { RepositoryNames } from '../../worktrees/repository-names.ts';
import type { ModelProviders } from '../../providers/model-providers.ts';
import { ActiveTurns } from './active-turns.ts';
import { AgentRunStore } from './agent-run-store.ts';
import { AgentWork } from './agent-work.ts';
import { AgenticRuns } from './agentic-runs.ts';
import { AgenticService } from './agentic-service.ts';
import { LeftTurns } from './left-turns.ts';
import { MessageRuns } from './message-runs.ts';
import { RunFeeds } from './run-feeds.ts';
import { RunService } from './run-service.ts';
import { RunTimers } from './run-timers.ts';
import { StoredTurns } from './stored-turns.ts';
import { TaskRuns } from './task-runs.ts';
import { ToolLoop } from './tool-loop.ts';
import { ToolMessageService } from './tool-message-service.ts';
import { TurnStopper } from './turn-stopper.ts';
import { WaitingMessages } from './waiting-messages.ts';

export interface RunDeps extends ToolDeps {
  users: UserStore;
  workspaces: Workspaces;
  sessionMs: number;
  providers: ModelProviders;
  compactor: Compactor;
  conversations: ConversationService;
  conversationFeeds: ConversationFeeds;
  conversationTurns: Turns;
  daemon: DaemonIdentity;
  membership: Membership | undefined;
  /** Of a cluster. */
  turnFollower: TurnFollower | undefined;
  conversationStore: ConversationStore;
  recall: Recall;
  finishWatcher: TaskFinishWatcher;
  models: ModelOptions;
  callCounts: CallCounts;
  usage: UsageLedger;
  chatBudgets: ChatBudgets;
  repositoryNames: RepositoryNames;
}
export type Runs = Awaited<ReturnType<typeof composeRuns>>;

/** Composes the runs of models with tools; loaded at the first run, so that an idle daemon does not pay for it. */
export async function composeRuns(deps: RunDeps) {
  const { database, runtime, providers, workspaces, models, store, conversationStore } = deps;
  // The memory tools are offered only when this has found something to search.
  await deps.experiences.hasAny().catch(deps.reportBug);
  const tools = composeTools(deps);
  const { registry } = tools;
  const runs = new AgentRunStore(database);
  const feeds = new RunFeeds(runtime.now, deps.conversationFeeds, deps.turnFollower);
  const turns = new ActiveTurns();
  deps.conversationTurns.onLoss((conversationId, loss) => {
    const taken = new AppError('unavailable', 'Another daemon has taken over the turn');
    turns.stop(conversationId, loss === 'lost' ? taken : undefined);
  });
  const steps = new ModelSteps({ ...models, providers, counts: deps.callCounts });
  const isRepeatable = async (name: string) => (await registry.find(name))?.isReadOnly ?? true;
  const loop = new ToolLoop({ ...deps, ...models, ...tools, steps, isRepeatable });
  const workspace = async (conversation: { id: string; cwd: string | null }) => {
    try {
      const { id, cwd } = conversation;
      const directory = await workspaces.open({ id, ...(cwd !== null && { cwd }) });
      return cwd === null ? realpathSync(directory) : await realpath(directory);
    } catch (error) {
      if (error instanceof PathError) throw new AppError('validation', error.message);
      throw error;
    }
  };
  const lessons = new TaskLessons(deps);
  const timers = new RunTimers(deps.sessionMs);
  const runService = new RunService({ ...deps, registry, loop });
  const shared = { ...deps, ...tools, runs, feeds, turns, timers, runService, workspace, lessons };
  const messageRuns = new MessageRuns(shared);
  const storedTurns = new StoredTurns(shared);
  const leftTurns = new LeftTurns({ ...shared, store: conversationStore });
  const presentDaemons = async () => deps.membership?.present();
  const waiting = new WaitingMessages({
    ...shared,
    presentDaemons,
    messageRuns,
    leftTurns,
    store: conversationStore,
  });
  waiting.listen();
  const agenticRuns = new AgenticRuns({ ...shared, tasks: store });
  const taskRuns = new TaskRuns({ ...shared, tasks: store, realPath: realpath });
  return {
    ...tools,
    /** What a turn that svc does not run itself is stored and published with. */
    turnParts: { feeds, turns, messageRuns, waiting, storedTurns, workspace, conversationStore },
    waitingMessages: waiting,
    toolMessages: new ToolMessageService({ ...shared, messageRuns, waiting, storedTurns }),
    turnStopper: new TurnStopper({ ...shared, waiting }),
    close: async () => {
      waiting.stop();
      await turns.close();
      await lessons.close();
      await tools.mcp.close();
    },
    agentic: new AgenticService({ ...shared, agenticRuns }),
    agentWork: new AgentWork({ ...shared, agenticRuns, taskRuns }),
  };
}
