import { realpath } from 'node:fs/promises';
import type { Workspaces } from '../../agents/workspaces.ts';
import { AgentFailure } from '../../agents/agent-adapter.ts';
import type { UserStore } from '../../auth/user-store.ts';
import type { Metrics } from '../../health/metrics.ts';
import { AppError } from '../../errors.ts';
import type { Recall } from '../../memory/recall/recall.ts';
import { TaskLessons } from '../../memory/recall/task-lessons.ts';
import { TaskEndings } from '../../tasks/task-endings.ts';
import { joinTools, type ToolParts } from '../../tools/join-tools.ts';
import type { Compactor } from '../compactor.ts';
import type { ConversationService } from '../conversation-service.ts';
import type { ConversationStore } from '../conversation-store.ts';
import type { ModelOptions } from '../join-chat.ts';
import type { ModelCalls } from '../model-calls.ts';
import { ModelSteps } from '../model-steps.ts';
import type { ModelProviders } from '../providers/model-providers.ts';
import type { TaskContext } from '../task-context.ts';
import { AgentRunStore } from './agent-run-store.ts';
import { AgentWork } from './agent-work.ts';
import { AgenticService } from './agentic-service.ts';
import { RunCompactor } from './run-compactor.ts';
import { RunFeeds } from './run-feeds.ts';
import { ToolLoop } from './tool-loop.ts';
import { ToolMessageService } from './tool-message-service.ts';

export interface RunParts extends ToolParts {
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
  models: ModelOptions;
  metrics: Metrics;
}
export type Runs = Awaited<ReturnType<typeof joinRuns>>;

/** Models that work with tools. Loaded when the first of them does: an idle daemon does without. */
export async function joinRuns(parts: RunParts) {
  const { database, surroundings, providers, calls, workspaces, conversationStore, models, store } = parts;
  // From now on it is known whether there is a memory to search.
  await parts.experiences.hasAny().catch(parts.reportBug);
  const tools = joinTools(parts);
  const { registry } = tools;
  const runs = new AgentRunStore(database);
  const feeds = new RunFeeds(surroundings.now);
  const compactor = new RunCompactor({ calls, surroundings });
  const steps = new ModelSteps({ ...models, providers, metrics: parts.metrics.models });
  const isRepeatable = async (name: string) => (await registry.find(name))?.isReadOnly ?? true;
  const loop = new ToolLoop({ ...parts, ...models, ...tools, steps, compactor, isRepeatable });
  const workspace = async (conversation: { id: string; cwd: string | null }) => {
    try {
      const { id, cwd } = conversation;
      return await realpath(await workspaces.open({ id, ...(cwd !== null && { cwd }) }));
    } catch (error) {
      if (error instanceof AgentFailure) throw new AppError('validation', error.message);
      throw error;
    }
  };
  const lessons = new TaskLessons({ ...parts, endings: new TaskEndings(parts.bus) });
  const shared = { ...parts, ...tools, runs, feeds, loop, workspace, lessons };
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
