import { realpath } from 'node:fs/promises';
import type { RunEventInput } from '../../../contract/run-events.ts';
import type { SendWithTools, ToolExchange } from '../../../contract/conversations.ts';
import type { SecurityMode } from '../../../contract/security-mode.ts';
import { AgentFailure } from '../../agents/agent-adapter.ts';
import type { TurnEnd } from '../../agents/drivers/driver.ts';
import { type Caller, isAdmin, requireCommandRights } from '../../auth/caller.ts';
import type { UserStore } from '../../auth/user-store.ts';
import type { ChatBudgets } from '../../budgets/chat-budgets.ts';
import type { ConversationService } from '../../chat/conversation-service.ts';
import type { Runs } from '../../chat/runs/compose-runs.ts';
import type { MessageRun } from '../../chat/runs/message-runs.ts';
import { completeEvent } from '../../chat/runs/run-end.ts';
import { clientOfStream } from '../../chat/runs/active-turns.ts';
import { RunFailure, throwAsRunFailure, toEdgeError } from '../../chat/runs/run-failure.ts';
import { areAdmins } from '../../chat/runs/run-rights.ts';
import { userMessageEvent } from '../../chat/runs/run-start.ts';
import { toExchange } from '../../chat/runs/stored-turns.ts';
import { endOfTurn, errorOfTurn } from '../../chat/runs/turn-end.ts';
import { AppError } from '../../errors.ts';
import { memoryScopeOf } from '../../memory/memory-scope.ts';
import { projectRootOf } from '../../paths/project-root.ts';
import type { PolicyService } from '../../policy/policy-service.ts';
import { modeFor } from '../../policy/security-modes.ts';
import { notConfigured } from '../../providers/not-configured.ts';
import type { Runtime } from '../../runtime.ts';
import type { Database } from '../../storage/database.ts';
import type { ConversationRow, MessageRow } from '../../storage/rows/conversations.ts';
import { MAX_OUTPUT } from '../../tools/tool.ts';
import type { FoundProgram } from '../configured-agents.ts';
import type { AgentSandboxes } from '../agent-sandboxes.ts';
import { secretsIn } from '../../agents/agent-secrets.ts';
import { MaskedEvents } from '../masked-events.ts';
import { requireMode } from '../require-mode.ts';
import { usedInConversation } from '../../usage/used-by.ts';
import type { RepositoryNames } from '../../worktrees/repository-names.ts';
import type { AgentChats } from './agent-chats.ts';
import { agentTurn, type AgentTurnDeps } from './agent-turn.ts';
import { withHistory } from './lost-session.ts';
import { toTurnFailure } from './turn-failure.ts';
import { TurnRecord } from './turn-record.ts';

export interface AgentMessagesDeps extends Omit<AgentTurnDeps, 'gate'> {
  database: Database;
  conversations: ConversationService;
  chats: AgentChats;
  runs: Runs;
  users: UserStore;
  policy: PolicyService;
  sandboxes: Pick<AgentSandboxes, 'check'>;
  /** The program of an agent; rejects with an `AgentFailure` where it cannot run. */
  program: (agent: string, userId: string) => Promise<FoundForPerson>;
  repositoryNames: Pick<RepositoryNames, 'of'>;
  chatBudgets: Pick<ChatBudgets, 'pass'>;
  runtime: Runtime;
}

/** The program of an agent, for a person who waits for it. */
export interface FoundForPerson {
  program: FoundProgram;
  /** Takes whether the agent worked with its login, or refused it, which holds for tasks too. */
  onLogin: (isGood: boolean) => void;
}

/** How a message is answered. */
interface Work extends FoundForPerson {
  mode: SecurityMode;
  isSandboxed: boolean;
  model: string | undefined;
}

/** Answers messages with the agent of their conversation. */
export class AgentMessages {
  readonly #deps: AgentMessagesDeps;
  constructor(deps: AgentMessagesDeps) {
    this.#deps = deps;
  }

  /** Resolves at the end of the turn. */
  async send(caller: Caller, id: string, input: SendWithTools, client: AbortSignal): Promise<ToolExchange> {
    const work = await this.#workOf(caller, id, input);
    const runId = this.#deps.runtime.newId('run');
    try {
      return await this.#inTurn(caller, id, input, { work, runId, client });
    } catch (error) {
      this.#deps.runs.turnParts.messageRuns.fail(runId, error);
      throw toEdgeError(error);
    }
  }

  /** Streams the events of the turn; throws where it cannot start. */
  async stream(caller: Caller, id: string, input: SendWithTools, reader: AbortSignal) {
    const { feeds, messageRuns } = this.#deps.runs.turnParts;
    const work = await this.#workOf(caller, id, input);
    const runId = this.#deps.runtime.newId('run');
    const events = feeds.open(runId, reader);
    const client = clientOfStream(input, reader);
    this.#inTurn(caller, id, input, { work, runId, client }).catch((error: unknown) =>
      messageRuns.fail(runId, error),
    );
    return events;
  }

  /** Ends what a conversation that was deleted leaves. */
  forget(conversationId: string): Promise<void> {
    this.#deps.runs.turnParts.turns.stop(conversationId);
    return this.#deps.chats.end(conversationId);
  }

  /** Lets the turns store how far they got, and kills the agents. */
  async close(): Promise<void> {
    await this.#deps.runs.turnParts.turns.close();
    await this.#deps.chats.close();
  }

  /** Whether and how the message can be answered; nothing of one that cannot is stored. */
  async #workOf(caller: Caller, id: string, input: SendWithTools): Promise<Work> {
    const { conversations, users, policy, sandboxes, program } = this.#deps;
    const { agent, owner_id: ownerId } = await conversations.find(caller, id);
    if (agent === null) throw new Error('a model answers in this conversation');
    requireCommandRights(caller);
    if (!(await areAdmins(users, ownerId)))
      throw new AppError('forbidden', 'The owner of the conversation may not run commands');
    if (input.provider !== undefined || !input.enableTools)
      throw new AppError('validation', `${agent} answers with its own tools and without a provider`);
    const mode = modeFor((await policy.current()).defaultMode, input.securityMode, isAdmin(caller));
    try {
      const sandbox = await sandboxes.check();
      requireMode(mode, agent, sandbox);
      const found = await program(agent, ownerId);
      const model = input.model ?? found.program.agent.model;
      return { ...found, mode, isSandboxed: sandbox.isWorking, model };
    } catch (error) {
      if (!(error instanceof AgentFailure)) throw error;
      if (error.needsPerson) throw notConfigured(error.message, 'agent');
      throw new AppError(
        'wrong_state',
        `${error.message}. Choose the mode ask, in which you decide on each call`,
      );
    }
  }

  #inTurn(
    caller: Caller,
    id: string,
    { content }: SendWithTools,
    { work, runId, client }: { work: Work; runId: string; client: AbortSignal },
  ): Promise<ToolExchange> {
    const { turns } = this.#deps.runs.turnParts;
    return this.#deps.conversations.inTurn(id, () =>
      turns.run({ runId, conversationId: id, client }, async (signal) => {
        try {
          return await this.#answer(caller, id, content, { work, runId, signal });
        } catch (error) {
          throw errorOfTurn(error, { stopping: turns.stopping, signal });
        }
      }),
    );
  }

  async #answer(
    caller: Caller,
    id: string,
    content: string,
    { work, runId, signal }: { work: Work; runId: string; signal: AbortSignal },
  ): Promise<ToolExchange> {
    if (signal.aborted) throw new AppError('wrong_state', 'The request was cancelled');
    const { conversations, runtime, chats } = this.#deps;
    const { turns, feeds, waiting, storedTurns, workspace } = this.#deps.runs.turnParts;
    const { agent } = work.program;
    await waiting.drop(id);
    const cwd = await realpath(await workspace(await conversations.find(caller, id)));
    const message = await conversations.append(caller, id, { role: 'user', content });
    const conversation = await conversations.find(caller, id);
    feeds.begin(runId, id);
    feeds.emit(runId, userMessageEvent({ message, compaction: undefined }));
    const model = { provider: agent.type, modelId: work.model ?? agent.type };
    const record = new TurnRecord();
    const run: MessageRun = {
      id: runId,
      conversation,
      state: record.state,
      options: {
        content,
        instructions: '',
        mode: work.mode,
        provider: model.provider,
        model: model.modelId,
        isStreamed: true,
        enableTools: true,
        messageId: runtime.newId('msg'),
        userMessageId: message.id,
        mayRunCommands: true,
        usedBy: await usedInConversation(this.#deps.repositoryNames, caller, conversation),
      },
    };
    await storedTurns.begin(run);
    const keep = (outcome: Parameters<typeof endOfTurn>[0]) =>
      storedTurns.answer(caller, run, model, endOfTurn(outcome, { stopping: turns.stopping, signal }));
    let answer: MessageRow;
    try {
      const end = await this.#turn(run, record, { work, cwd, message, signal });
      throwUnlessCompleted(end, work.program);
      work.onLogin(true);
      record.finish(end.text);
      answer = await keep({ kind: 'done' });
    } catch (error) {
      if (error instanceof RunFailure && error.failure === 'auth') work.onLogin(false);
      await keep({ kind: 'failed', error });
      throw error;
    } finally {
      await chats.release(id);
    }
    feeds.emit(runId, completeEvent(record.state, model));
    feeds.emit(runId, { type: 'message_saved', data: { id: answer.id } });
    feeds.close(runId);
    return toExchange({ message, compaction: undefined }, answer, run, { kind: 'done' });
  }

  async #turn(
    { id: runId, conversation, options }: MessageRun,
    record: TurnRecord,
    {
      work: { program, mode, model, isSandboxed },
      cwd,
      message,
      signal,
    }: { work: Work; cwd: string; message: MessageRow; signal: AbortSignal },
  ): Promise<TurnEnd> {
    const { chats, runs, runtime, config } = this.#deps;
    const { agent, version } = program;
    const { id: conversationId, owner_id: userId } = conversation;
    const { usedBy = { userId, conversationId } } = options;
    let sessionId = conversation.agent_session ?? undefined;
    const sink = this.#sink(runId, record);
    sink({
      type: 'agent:start',
      data: {
        agent: agent.type,
        ...(version !== undefined && { version }),
        ...(model !== undefined && { model }),
        cwd,
        ...(sessionId !== undefined && { sessionId }),
      },
    });
    const onSession = (named: string) => {
      if (named === sessionId) return;
      sessionId = named;
      this.#saveSession(conversation, named);
    };
    const turn = { runId, conversationId, ownerId: userId, signal, emit: sink };
    await this.#deps.chatBudgets.pass(usedBy, turn).catch(async (error: unknown) => {
      // Where the turn was stopped, no one waits for the decision.
      await this.#deps.approvals.expireForRun(runId);
      throwAsRunFailure(error);
    });
    const masked = new MaskedEvents(secretsIn(agent.env), sink);
    const { isLost, ...open } = await chats.open(
      {
        conversationId,
        program,
        cwd,
        model,
        isSandboxed,
        isReadOnly: mode === 'sandbox',
        sessionId,
        onSession,
        onNote: (message) => masked.add({ type: 'note', data: { message } }),
      },
      signal,
    );
    const project = conversation.cwd === null ? undefined : await projectRootOf(cwd);
    return agentTurn(
      { ...this.#deps, gate: runs.gate },
      {
        runId,
        agent,
        open,
        session: () => sessionId ?? '',
        content: isLost
          ? withHistory(runtime, await this.#before(message), options.content)
          : options.content,
        model,
        usedBy,
        context: {
          workspace: cwd,
          userId,
          mode,
          mayRunCommands: true,
          isTrusted: true,
          conversationId,
          memoryScope: memoryScopeOf(config.get('memory.scope'), project),
          signal,
        },
        refusals: record.state,
        sink,
      },
    );
  }

  /** Publishes an event and keeps it. */
  #sink(runId: string, record: TurnRecord): (event: RunEventInput) => void {
    const { storedTurns, feeds } = this.#deps.runs.turnParts;
    const { save, savePartial } = storedTurns.savers(runId);
    return (given) => {
      const event = withShortResult(given);
      if (record.add(event)) save(record.state).catch(this.#deps.reportBug);
      if (event.type === 'text:delta') savePartial(record.state.partial ?? '');
      // Who waits for decisions in conversations publishes them.
      if (event.type !== 'approval:decided') feeds.emit(runId, event);
    };
  }

  async #before({ conversation_id: id, seq }: MessageRow): Promise<MessageRow[]> {
    const messages = await this.#deps.runs.turnParts.conversationStore.messages(id);
    return messages.filter((message) => message.seq < seq);
  }

  #saveSession({ id }: ConversationRow, session: string): void {
    const { database, reportBug, runs } = this.#deps;
    database
      .write(({ db }) => runs.turnParts.conversationStore.change(db, id, { agent_session: session }))
      .catch(reportBug);
  }
}

function throwUnlessCompleted(end: TurnEnd, { agent }: FoundProgram): void {
  if (end.outcome === 'failed') throw toTurnFailure(end.failure, agent);
  if (end.outcome === 'cancelled')
    throw new RunFailure('cancelled', 'DENIED', `${agent.type} stopped after a call was not allowed`);
}

function withShortResult(event: RunEventInput): RunEventInput {
  if (event.type !== 'tool:result' || event.data.result.content.length <= MAX_OUTPUT) return event;
  const { result } = event.data;
  const content = `${result.content.slice(0, MAX_OUTPUT)}…`;
  return { ...event, data: { ...event.data, result: { ...result, content } } };
}
