import { realpath } from 'node:fs/promises';
import type { Workspaces } from '../../processes/workspaces.ts';
import { PathError } from '../../paths/path-error.ts';
import type { UserStore } from '../../auth/user-store.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import { AppError } from '../../errors.ts';
import type { Recall } from '../recall/recall.ts';
import { TaskLessons } from '../recall/task-lessons.ts';
import type { TaskEndings } from '../../tasks/task-endings.ts';
import { composeTools, type ToolDeps } from '../../tools/compose-tools.ts';
import type { Compactor } from '../compactor.ts';
import type { ConversationService } from '../conversation-service.ts';
import type { ConversationStore } from '../conversation-store.ts';
import type { ModelOptions } from '../../providers/compose-providers.ts';
import type { ModelCalls } from '../../providers/model-calls.ts';
import { ModelSteps } from '../../providers/model-steps.ts';
import type { ModelProviders } from '../../providers/model-providers.ts';
import type { TaskContext } from '../task-context.ts';
import { AgentRunStore } from './agent-run-store.ts';
import { AgentWork } from './agent-work.ts';
import { AgenticService } from './agentic-service.ts';
import { RunCompactor } from './run-compactor.ts';
import { RunFeeds } from './run-feeds.ts';
import { ToolLoop } from './tool-loop.ts';
import { ToolMessageService } from './tool-message-service.ts';

export interface RunDeps extends ToolDeps {
  users: UserStore;
  workspaces: Workspaces;
  sessionMs: number;
  providers: ModelProviders;
  calls: ModelCalls;
  compactor: Compactor;
  taskContext: TaskContext;
  conversations: ConversationService;
  conversationStore: ConversationStore;
  recall: Recall;
  endings: TaskEndings;
  models: ModelOptions;
  metrics: Metrics;
}
export type Runs = Awaited<ReturnType<typeof composeRuns>>;

/** Models that work with tools. Loaded when the first of them does: an idle daemon does without. */
export async function composeRuns(deps: RunDeps) {
  const { database, runtime, providers, calls, workspaces, conversationStore, models, store } = deps;
  // From now on it is known whether there is a memory to search.
  await deps.experiences.hasAny().catch(deps.reportBug);
  const tools = composeTools(deps);
  const { registry } = tools;
  const runs = new AgentRunStore(database);
  const feeds = new RunFeeds(runtime.now);
  const compactor = new RunCompactor({ calls, runtime });
  const steps = new ModelSteps({ ...models, providers, metrics: deps.metrics.models });
  const isRepeatable = async (name: string) => (await registry.find(name))?.isReadOnly ?? true;
  const loop = new ToolLoop({ ...deps, ...models, ...tools, steps, compactor, isRepeatable });
  const workspace = async (conversation: { id: string; cwd: string | null }) => {
    try {
      const { id, cwd } = conversation;
      return await realpath(await workspaces.open({ id, ...(cwd !== null && { cwd }) }));
    } catch (error) {
      if (error instanceof PathError) throw new AppError('validation', error.message);
      throw error;
    }
  };
  const lessons = new TaskLessons(deps);
  const shared = { ...deps, ...tools, runs, feeds, loop, workspace, lessons };
  const toolMessages = new ToolMessageService({ ...shared, store: conversationStore });
  toolMessages.listen();
  return {
    ...tools,
    toolMessages,
    close: async () => {
      toolMessages.stop();
      await lessons.close();
      await tools.mcp.close();
    },
    agentic: new AgenticService(shared),
    agentWork: new AgentWork({ ...shared, tasks: store, conversationStore, realFolder: realpath }),
  };
}
