import type { PresetId } from '../../../contract/chat.ts';
import type { Config } from '../../config/config.ts';
import { type MemoryScope, memoryScopeOf } from '../../memory/memory-scope.ts';
import { projectRootOf } from '../../paths/project-root.ts';
import type { UserStore } from '../../auth/user-store.ts';
import type { ModelProviders } from '../../providers/model-providers.ts';
import { toModelMessages } from '../../providers/prompt.ts';
import type { ResolvedModel } from '../../providers/resolved-model.ts';
import type { Log } from '../../log.ts';
import type { Runtime } from '../../runtime.ts';
import type { ConversationRow, MessageRow } from '../../storage/rows/conversations.ts';
import type { Database } from '../../storage/database.ts';
import type { AgentRunRow } from '../../storage/rows/agent-runs.ts';
import type { TaskStore } from '../../tasks/task-store.ts';
import type { ConversationService } from '../conversation-service.ts';
import type { ConversationStore } from '../conversation-store.ts';
import { presets } from '../presets.ts';
import type { Recall } from '../recall/recall.ts';
import type { TaskLessons } from '../recall/task-lessons.ts';
import type { AgentRunStore } from './agent-run-store.ts';
import type { AgenticOptions } from './agentic-options.ts';
import { type Attempt, type PreparedRun, storedState } from './attempt.ts';
import { beginRun } from './begin-run.ts';
import { isConversationTainted } from './taint.ts';
import { answerOf, toFinishedRun } from './run-end.ts';
import { runSavers } from './run-savers.ts';
import { endOfAttempt, failedEnd, type TurnEnd } from './turn-end.ts';
import { isShutdown, RunFailure } from './run-failure.ts';
import type { RunPlan } from './run-order.ts';
import { agenticRules, type RunStorage } from './run-policy.ts';
import { areAdmins } from './run-rights.ts';
import type { RunState } from './run-state.ts';
import type { RunTimers } from './run-timers.ts';
import { questionOfTask } from './task-prompt.ts';
import { instructionsOf } from './work-instructions.ts';

const MODE = 'full';

export interface AgenticRunsDeps {
  database: Database;
  tasks: TaskStore;
  runs: AgentRunStore;
  conversations: ConversationService;
  conversationStore: ConversationStore;
  users: UserStore;
  providers: Pick<ModelProviders, 'resolve'>;
  recall: Pick<Recall, 'forQuestion'>;
  lessons: TaskLessons;
  timers: RunTimers;
  /** The directory in which the tools of a conversation work. */
  workspace: (conversation: { id: string; cwd: string | null }) => Promise<string>;
  config: Config;
  runtime: Runtime;
  log: Log;
}

/** Prepares runs of agentic messages, which never ask a person; the answer is stored in the conversation. */
export class AgenticRuns {
  readonly #deps: AgenticRunsDeps;
  constructor(deps: AgenticRunsDeps) {
    this.#deps = deps;
  }

  async prepare(attempt: Attempt, row: AgentRunRow): Promise<PreparedRun> {
    const { conversationStore, providers, tasks, users, timers, config, runtime } = this.#deps;
    const { id, agentRun, signal, sink } = attempt;
    const options = JSON.parse(row.options) as AgenticOptions;
    const conversation = await conversationStore.find(row.conversation_id ?? '');
    if (!conversation) throw new RunFailure('invalid_input', 'NOT_FOUND', 'The conversation was deleted');
    const model = await providers.resolve(options, {
      ...agentRun.usedBy,
      conversationId: conversation.id,
    });
    const { owner_id: ownerId } = conversation;
    const senderId = (await tasks.findHead(agentRun.task.id))?.owner_id ?? '';
    const workspace = await this.#deps.workspace(conversation);
    const project = conversation.cwd === null ? undefined : await projectRootOf(workspace);
    const memoryScope = memoryScopeOf(config.get('memory.scope'), project);
    const plan: RunPlan = {
      id,
      taskId: agentRun.task.id,
      conversationId: conversation.id,
      // When an administrator writes in the conversation of another user, that user reads the answer.
      userId: ownerId,
      model,
      state:
        storedState(row) ??
        (await this.#begin(attempt, conversation, model, {
          userMessageId: options.userMessageId,
          scope: memoryScope,
        })),
      instructions: instructionsOf(presets[conversation.preset_id as PresetId], {
        workspace,
        mode: MODE,
        today: runtime.now(),
      }),
      workspace,
      project,
      memoryScope,
      mode: MODE,
      hasTools: true,
      mayRunCommands: options.mayRunCommands && (await areAdmins(users, senderId, ownerId)),
      isTrusted: true,
      isStreamed: true,
      showsThinking: options.showThinking,
      temperature: options.temperature,
      effort: options.effort,
      isAnnounced: false,
      signal,
    };
    const store = this.#storage(attempt, plan, options, { learns: senderId === ownerId });
    return { plan, policy: { ...agenticRules(options, timers.ms), store, sink } };
  }

  async #begin(
    { agentRun, signal }: Attempt,
    conversation: ConversationRow,
    model: ResolvedModel,
    { userMessageId, scope }: { userMessageId: string; scope: MemoryScope },
  ): Promise<RunState> {
    const { conversations, recall } = this.#deps;
    const { turns } = await conversations.prompt(model, conversation, userMessageId);
    return beginRun(recall, {
      messages: toModelMessages(turns),
      ownerId: conversation.owner_id,
      question: questionOfTask(agentRun.task),
      mode: MODE,
      isTrusted: true,
      isTainted: await isConversationTainted(this.#deps, conversation),
      scope,
      signal,
    });
  }

  /** `learns` is true only where the owner of the conversation also owns the task: what is learned belongs to the owner. */
  #storage(
    { id, agentRun, signal }: Attempt,
    plan: RunPlan,
    { answerId, userMessageId }: AgenticOptions,
    { learns }: { learns: boolean },
  ): RunStorage {
    const { lessons, config } = this.#deps;
    const savers = runSavers(this.#deps, id);
    const { state, model, project, conversationId = '' } = plan;
    const storeAnswer = (end: TurnEnd) =>
      this.#storeAnswer(
        plan,
        { ...answerOf(state, model, end), id: answerId, reply_to: userMessageId },
        { isDone: end.status === 'completed' },
      );
    return {
      save: savers.save,
      savePartial: savers.savePartial,
      keepsState: true,
      keep: async (outcome) => {
        savers.stop();
        if (outcome.kind !== 'failed') {
          if (learns)
            lessons.learnOnCompletion(agentRun.task.id, {
              ...toFinishedRun(state, conversationId),
              project,
            });
          return (await storeAnswer({ status: 'completed' })).id;
        }
        // On shutdown the next start resumes the run instead.
        if (!isShutdown(agentRun.signal))
          await storeAnswer(endOfAttempt(outcome.error, signal, config.get('pool.timeoutMs')));
        return undefined;
      },
    };
  }

  /** Stores that a run ended before it could answer; an answer that is stored already stays. */
  async storeFailure({ options, conversation_id: id }: AgentRunRow, failure: RunFailure): Promise<void> {
    const { conversationStore, conversations } = this.#deps;
    const { answerId, userMessageId } = JSON.parse(options) as AgenticOptions;
    const conversation = id === null ? undefined : await conversationStore.find(id);
    if (!conversation || (await conversationStore.hasMessage(answerId))) return;
    const { status, error } = failedEnd(failure);
    // The time limit of the session; that of a call of the model ends a run that stores its answer.
    const isTimeout = failure.failure === 'timeout';
    const owner = { userId: conversation.owner_id, role: 'user' } as const;
    await conversations.append(owner, conversation.id, {
      id: answerId,
      role: 'assistant',
      content: '',
      reply_to: userMessageId,
      status: isTimeout ? 'interrupted' : status,
      error: JSON.stringify(error),
    });
  }

  /** Stores the answer; of a run that is done, in one transaction with its state. */
  #storeAnswer(
    { userId, conversationId = '', id, state }: RunPlan,
    answer: ReturnType<typeof answerOf> & { id: string; reply_to: string },
    { isDone }: { isDone: boolean },
  ): Promise<MessageRow> {
    const { database, conversationStore, conversations, runs } = this.#deps;
    return database.write(async ({ db }) => {
      if (isDone) await runs.change(db, id, { state: JSON.stringify(state), partial: null });
      // An earlier attempt may have stored part of the answer before the daemon died.
      const stored = await conversationStore.changeMessage(db, answer.id, answer);
      return stored ?? conversations.appendWith(db, { userId, role: 'user' }, conversationId, answer);
    });
  }
}
