import { PathError } from '../../paths/path-error.ts';
import type { ModelMessage } from 'ai';
import type { Effort, NewRunEvent } from '../../../contract/run-events.ts';
import type { PresetId } from '../../../contract/chat.ts';
import type { SecurityMode } from '../../../contract/security-mode.ts';
import type { Task } from '../../../contract/task.ts';
import { AgentFailure, type AgentResult, type AgentRun } from '../../agents/agent-adapter.ts';
import { roleOf } from '../../auth/caller.ts';
import type { UserStore } from '../../auth/user-store.ts';
import type { Config } from '../../config/config.ts';
import { AppError, messageOf } from '../../errors.ts';
import type { Recall } from '../recall/recall.ts';
import type { TaskLessons } from '../recall/task-lessons.ts';
import type { PolicyService } from '../../policy/policy-service.ts';
import { modeFor, stricterMode } from '../../policy/security-modes.ts';
import type { ApprovalService } from '../../approvals/approval-service.ts';
import type { Database } from '../../storage/database.ts';
import type { AgentRunRow } from '../../storage/tool-rows.ts';
import type { Runtime } from '../../runtime.ts';
import { RunStopped } from '../../tasks/active-runs.ts';
import type { TaskStore } from '../../tasks/task-store.ts';
import { isCreatedByTool } from '../../tools/tasks/task-create.ts';
import type { ToolRegistry } from '../../tools/tool-registry.ts';
import type { Compactor } from '../compactor.ts';
import type { ConversationService } from '../conversation-service.ts';
import type { ConversationStore } from '../conversation-store.ts';
import { presets } from '../presets.ts';
import type { ModelProviders } from '../../providers/model-providers.ts';
import type { ResolvedModel } from '../../providers/resolved-model.ts';
import type { TaskContext } from '../task-context.ts';
import type { AgentRunStore } from './agent-run-store.ts';
import type { AgenticOptions } from './agentic-service.ts';
import { beginRun } from './begin-run.ts';
import { heardInConversation } from './heard-strangers.ts';
import { offeredTools } from './offered-tools.ts';
import { RunEventRecord } from './run-event-record.ts';
import type { RunFeeds } from './run-feeds.ts';
import { answerOf, completeEvent, resultOf } from './run-end.ts';
import type { RunState } from './run-state.ts';
import { type LoopOrder, RunFailure, type ToolLoop } from './tool-loop.ts';
import { agentInstructions, workInstructions } from './work-instructions.ts';

/** How many steps each effort is good for. */
const stepsOf: Record<Effort, number> = { low: 5, medium: 20, high: 50, max: 200 };

export interface AgentWorkDeps {
  database: Database;
  config: Config;
  tasks: TaskStore;
  runs: AgentRunStore;
  conversations: ConversationService;
  conversationStore: ConversationStore;
  users: UserStore;
  providers: Pick<ModelProviders, 'resolve'>;
  compactor: Compactor;
  taskContext: TaskContext;
  loop: ToolLoop;
  registry: ToolRegistry;
  policy: PolicyService;
  approvals: ApprovalService;
  feeds: RunFeeds;
  recall: Pick<Recall, 'about'>;
  lessons: TaskLessons;
  /** The folder in which the tools of a conversation work. */
  workspace: (conversation: { id: string; cwd: string | null }) => Promise<string>;
  /** The real place of a folder. */
  realFolder: (folder: string) => Promise<string>;
  sessionMs: number;
  runtime: Runtime;
}

/** A run from the outside: what is told of it, and where its limits are. */
interface Session {
  id: string;
  emit: (event: NewRunEvent) => void;
  signal: AbortSignal;
}

/** Does tasks by letting a model work with tools: the task of an agentic message, or any other. */
export class AgentWork {
  readonly #deps: AgentWorkDeps;
  constructor(deps: AgentWorkDeps) {
    this.#deps = deps;
  }

  async execute(run: AgentRun): Promise<AgentResult> {
    const row = await this.#deps.runs.ofTask(run.task.id);
    const agentic = row?.kind === 'agentic' ? row : undefined;
    const id = row?.id ?? this.#deps.runtime.newId('sess');
    const record = new RunEventRecord((event) => run.emit(event));
    const timeout = new AbortController();
    const { sessionMs } = this.#deps;
    const timer = agentic && setTimeout(() => timeout.abort(timedOut(sessionMs)), sessionMs);
    const session: Session = {
      id,
      emit: (event) => {
        this.#deps.feeds.emit(id, event);
        record.add(event);
      },
      signal: AbortSignal.any([run.signal, timeout.signal]),
    };
    try {
      if (agentic?.conversation_id)
        return await this.#deps.conversations.inTurn(agentic.conversation_id, () =>
          this.#doMessage(run, agentic, session),
        );
      return await this.#doTask(run, row, session);
    } catch (error) {
      const failure = this.#failureOf(error, run, timeout.signal);
      session.emit({ type: 'error', data: { message: failure.message, code: failure.code } });
      // What it asked for is of no use any more, unless the daemon stops and it goes on later.
      if (!(run.signal.reason instanceof RunStopped && run.signal.reason.reason === 'shutdown'))
        await this.#deps.approvals.expireForRun(run.task.id);
      throw toAgentFailure(failure, agentic !== undefined);
    } finally {
      clearTimeout(timer);
      record.flush();
      this.#deps.feeds.close(id);
    }
  }

  async #doMessage(run: AgentRun, row: AgentRunRow, session: Session): Promise<AgentResult> {
    const { database, conversationStore, conversations, providers, compactor, taskContext } = this.#deps;
    const { recall, tasks } = this.#deps;
    const options = JSON.parse(row.options) as AgenticOptions;
    const conversation = await conversationStore.find(row.conversation_id ?? '');
    if (!conversation) throw new RunFailure('invalid_input', 'NOT_FOUND', 'The conversation is deleted');
    const model = await providers.resolve(options);
    const { owner_id: ownerId } = conversation;
    const askerId = (await tasks.findHead(run.task.id))?.owner_id ?? '';
    const workspace = await this.#deps.workspace(conversation);
    let state = row.state === null ? undefined : (JSON.parse(row.state) as RunState);
    if (!state) {
      const context = await taskContext.ofConversation(conversation);
      const { prompt } = await compactor.fit(model, { conversation, context }, session.signal);
      state = await beginRun(recall, {
        messages: prompt.turns.map(({ role, content }): ModelMessage => ({ role, content })),
        ownerId,
        question: questionOf(run.task),
        mode: 'full',
        isTrusted: true,
        heardStrangers: await heardInConversation(this.#deps, conversation),
        signal: session.signal,
      });
    }
    const { effort, temperature, showThinking: showsThinking, maxBudget = null } = options;
    const maxSteps = Math.min(stepsOf[effort], options.maxSteps ?? stepsOf.max);
    const instructions = [
      presets[conversation.preset_id as PresetId],
      workInstructions({ workspace, mode: 'full', today: this.#deps.runtime.now() }),
    ]
      .filter(Boolean)
      .join('\n\n');
    const order = await this.#order(run, session, {
      model,
      state,
      instructions,
      workspace,
      maxSteps,
      maxBudget,
      showsThinking,
      temperature,
      effort,
      mode: 'full',
      conversationId: conversation.id,
      // Of an administrator's message in the conversation of another, that other reads what is answered.
      userId: ownerId,
      mayRunCommands:
        options.mayRunCommands && (await this.#isAdmin(askerId)) && (await this.#isAdmin(ownerId)),
      isTrusted: true,
    });
    session.emit({
      type: 'session:start',
      data: {
        sessionId: session.id,
        taskId: run.task.id,
        conversationId: conversation.id,
        provider: model.provider,
        model: model.modelId,
        effort,
        maxSteps,
        maxBudget,
        timeoutMs: this.#deps.sessionMs,
      },
    });
    const owner = { userId: ownerId, role: 'user' as const };
    const keep = async () => {
      const answer = { ...answerOf(state, model), id: options.answerId };
      // An earlier attempt may have said something before the daemon died.
      const said = await database.write(({ db }) => conversationStore.changeMessage(db, answer.id, answer));
      return said ?? conversations.append(owner, conversation.id, answer);
    };
    try {
      await this.#deps.loop.run(order);
    } catch (error) {
      // What was done is done, so it is told; a daemon that stops takes the run up again instead.
      const isStopping = run.signal.reason instanceof RunStopped && run.signal.reason.reason === 'shutdown';
      if (!isStopping && (state.text !== '' || state.calls.length > 0)) await keep();
      throw error;
    }
    // What is learned belongs to the owner of the task, who may not be the one of the conversation.
    if (askerId === ownerId) this.#expectLessons(run, state, conversation.id);
    const saved = await keep();
    this.#tellEnd(session, state, model);
    session.emit({ type: 'message_saved', data: { id: saved.id } });
    return resultOf(state, model);
  }

  async #doTask(run: AgentRun, row: AgentRunRow | undefined, session: Session): Promise<AgentResult> {
    const { providers, policy, config, runtime, realFolder, tasks, recall } = this.#deps;
    const stored = await tasks.find(run.task.id);
    if (!stored) throw new RunFailure('invalid_input', 'NOT_FOUND', 'The task is gone');
    const model = await providers.resolve({ model: config.get('agents.builtin.model') });
    const workspace = await realFolder(await run.workspace());
    const isTrusted = stored.is_trusted === 1;
    const mayCommand = stored.may_command === 1 && (await this.#isAdmin(stored.owner_id));
    const wished = modeFor(policy.policy.defaultMode, run.task.securityMode, mayCommand);
    const mode = isTrusted ? wished : stricterMode(wished, 'allowlist');
    const state = row?.state
      ? (JSON.parse(row.state) as RunState)
      : await beginRun(recall, {
          messages: [promptOf(run.task)],
          ownerId: stored.owner_id,
          question: questionOf(run.task),
          mode,
          isTrusted,
          heardStrangers: isCreatedByTool(run.task.metadata),
          signal: session.signal,
        });
    const maxSteps = config.get('agents.builtin.maxSteps');
    const maxBudget = config.get('agents.builtin.maxBudget') ?? null;
    if (!row) await this.#keepRun(run, stored.owner_id, session.id);
    const order = await this.#order(run, session, {
      model,
      state,
      instructions: [agentInstructions, workInstructions({ workspace, mode, today: runtime.now() })].join(
        '\n\n',
      ),
      workspace,
      maxSteps,
      maxBudget,
      showsThinking: true,
      mode,
      userId: stored.owner_id,
      mayRunCommands: mayCommand,
      isTrusted,
    });
    session.emit({
      type: 'session:start',
      data: {
        sessionId: session.id,
        taskId: run.task.id,
        provider: model.provider,
        model: model.modelId,
        maxSteps,
        maxBudget,
        timeoutMs: null,
      },
    });
    await this.#deps.loop.run(order);
    this.#expectLessons(run, state);
    this.#tellEnd(session, state, model);
    return resultOf(state, model);
  }

  #expectLessons(
    { task }: AgentRun,
    { text, calls, recalled = [], heardStrangers = true }: RunState,
    conversationId?: string,
  ): void {
    this.#deps.lessons.expect(task.id, { answer: text, calls, recalled, heardStrangers, conversationId });
  }

  async #order(
    run: AgentRun,
    session: Session,
    wish: Pick<
      LoopOrder,
      | 'model'
      | 'state'
      | 'instructions'
      | 'maxSteps'
      | 'maxBudget'
      | 'showsThinking'
      | 'temperature'
      | 'effort'
    > & {
      workspace: string;
      mode: SecurityMode;
      conversationId?: string;
      userId: string;
      mayRunCommands: boolean;
      isTrusted: boolean;
    },
  ): Promise<LoopOrder> {
    const { registry, policy, runs } = this.#deps;
    const { workspace, mode, conversationId, userId, mayRunCommands, isTrusted, ...order } = wish;
    const context = {
      workspace,
      userId,
      mode,
      mayRunCommands,
      isTrusted,
      conversationId,
      taskId: run.task.id,
      signal: session.signal,
    };
    return {
      ...order,
      tools: await offeredTools(registry, policy, mode),
      // The same in every attempt: an approval that was given before a restart is found again.
      run: { id: run.task.id, canAsk: mode !== 'full', context },
      endsWithAnswer: false,
      isStreamed: true,
      onApproval: 'wait',
      retries: true,
      emit: session.emit,
      save: (state) => runs.save(session.id, { state: JSON.stringify(state) }),
    };
  }

  /** Rights that ended meanwhile are gone here too. */
  async #isAdmin(userId: string): Promise<boolean> {
    const user = await this.#deps.users.find(userId);
    return user !== undefined && roleOf(user) === 'admin' && user.disabled_at === null;
  }

  async #keepRun(run: AgentRun, ownerId: string, id: string): Promise<void> {
    const { database, runs, runtime } = this.#deps;
    const now = runtime.now().toISOString();
    await database.write(({ db }) =>
      runs.insert(db, {
        id,
        kind: 'task',
        status: 'running',
        owner_id: ownerId,
        conversation_id: null,
        task_id: run.task.id,
        options: '{}',
        state: null,
        created_at: now,
        updated_at: now,
      }),
    );
  }

  #tellEnd({ emit }: Session, state: RunState, model: ResolvedModel): void {
    emit({ type: 'summary', data: { summary: state.text } });
    emit(completeEvent(state, model));
  }

  #failureOf(error: unknown, run: AgentRun, timeout: AbortSignal): RunFailure {
    if (run.signal.aborted) {
      const { reason } = run.signal as { reason: unknown };
      if (reason instanceof RunStopped && reason.reason === 'timeout')
        return timedOut(this.#deps.config.get('pool.timeoutMs'));
      if (reason instanceof RunStopped && reason.reason === 'shutdown')
        return new RunFailure(
          'cancelled',
          'STOPPED',
          'The daemon stops; the run goes on with its next start',
        );
      return new RunFailure('cancelled', 'CANCELLED', 'The run was cancelled');
    }
    if (timeout.aborted) return timedOut(this.#deps.sessionMs);
    if (error instanceof RunFailure) return error;
    if (error instanceof PathError) return new RunFailure('invalid_input', 'no_folder', error.message);
    if (error instanceof AppError)
      return error.code === 'storage_full'
        ? new RunFailure('unknown', 'TOOL_ERROR', error.message)
        : new RunFailure(
            error.code === 'validation' ? 'invalid_input' : 'network',
            error.code.toUpperCase(),
            error.message,
            error.retryAfterMs,
          );
    return new RunFailure('unknown', 'INTERNAL', `The run failed unexpectedly: ${messageOf(error)}`);
  }
}

const timedOut = (ms: number) =>
  new RunFailure('timeout', 'TIMEOUT', `The run was stopped after ${ms / 1000} s`);

const toAgentFailure = ({ failure, code, message, retryAfterMs }: RunFailure, isFinal: boolean) =>
  new AgentFailure(failure, code.toLowerCase(), message, { retryAfterMs, isFinal });

const promptOf = ({ title, description, prompt }: Task): ModelMessage => ({
  role: 'user',
  content: [prompt ?? title, prompt === description ? undefined : description].filter(Boolean).join('\n\n'),
});

const questionOf = ({ title, description, prompt = description ?? '' }: Task): string =>
  prompt.trimStart().startsWith(title) ? prompt : `${title}\n${prompt}`;
