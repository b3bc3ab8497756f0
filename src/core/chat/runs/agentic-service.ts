import type { TaskStatus } from '../../../contract/task.ts';
import type { SendAgenticMessage } from '../../../contract/run-events.ts';
import { type Caller, mayRunCommands } from '../../auth/caller.ts';
import { AppError, messageOf } from '../../errors.ts';
import type { EventBus } from '../../events.ts';
import type { Log } from '../../log.ts';
import type { Runtime } from '../../runtime.ts';
import type { ConversationRow } from '../../storage/rows/conversations.ts';
import type { AgentRunRow } from '../../storage/rows/agent-runs.ts';
import type { TaskStore } from '../../tasks/task-store.ts';
import type { TaskService } from '../../tasks/task-service.ts';
import { isTerminal } from '../../tasks/task-states.ts';
import type { AgentRunStore } from './agent-run-store.ts';
import type { AgenticOptions } from './agentic-options.ts';
import type { AgenticRuns } from './agentic-runs.ts';
import type { AcceptedMessage, ConversationService } from '../conversation-service.ts';
import type { ModelProviders } from '../../providers/model-providers.ts';
import { cancelled, RunFailure, toEdgeError, toErrorEvent } from './run-failure.ts';
import { usedInConversation } from '../../usage/used-by.ts';
import type { RepositoryNames } from '../../worktrees/repository-names.ts';
import type { RunFeeds } from './run-feeds.ts';
import { userMessageEvent } from './run-start.ts';
import type { RunTimer, RunTimers } from './run-timers.ts';

const TITLE_LENGTH = 200;
/** Only a crash of the daemon is retried; every other failure goes to the user at once. */
const ATTEMPTS = 2;

export interface AgenticServiceDeps {
  bus: EventBus;
  conversations: ConversationService;
  providers: Pick<ModelProviders, 'resolve'>;
  runs: AgentRunStore;
  agenticRuns: AgenticRuns;
  tasks: Pick<TaskService, 'createFor' | 'cancel'>;
  store: Pick<TaskStore, 'findHead'>;
  feeds: RunFeeds;
  timers: RunTimers;
  repositoryNames: Pick<RepositoryNames, 'of'>;
  runtime: Runtime;
  log: Log;
}

/** A run that is to be created; its message may be stored already. */
interface NewRun {
  runId: string;
  content: string;
  options: AgenticOptions;
  accepted: AcceptedMessage | undefined;
  timer: RunTimer;
  /** Looks whether the task has finished, once it is created. */
  end: { look: () => void };
}

/** Runs agentic messages as tasks of the queue, which continue when the client disconnects. */
export class AgenticService {
  readonly #deps: AgenticServiceDeps;
  constructor(deps: AgenticServiceDeps) {
    this.#deps = deps;
  }

  /** Starts the run and streams its events from the first; the run continues when the client disconnects. */
  async start(caller: Caller, conversationId: string, input: SendAgenticMessage, signal: AbortSignal) {
    const { conversations, providers, feeds, timers, runtime, log } = this.#deps;
    const conversation = await conversations.findForModel(caller, conversationId);
    // Fails before anything is stored where no model can answer.
    const model = await providers.resolve(
      input,
      await usedInConversation(this.#deps.repositoryNames, caller, conversation),
    );
    const { content, ...limits } = input;
    const runId = runtime.newId('run');
    const timer = timers.start(runId);
    try {
      // The model sums up the messages before it, which takes long, so the message is stored first.
      const accepted = (await conversations.fits(model, conversation, content))
        ? undefined
        : await conversations.accept(caller, conversationId, content, { model, signal: timer.signal });
      const options: AgenticOptions = {
        ...limits,
        userMessageId: accepted?.message.id ?? runtime.newId('msg'),
        answerId: runtime.newId('msg'),
        mayRunCommands: mayRunCommands(caller),
      };
      const end = { look: () => {} };
      const events = feeds.follow(runId, signal, {
        onEnd: () => end.look(),
        onError: (error) =>
          log.warn({ runId, reason: messageOf(error) }, 'a run of another daemon cannot be followed'),
      });
      await this.#createTask(caller, conversation, { runId, content, options, accepted, timer, end });
      return events;
    } catch (error) {
      timer.stop();
      feeds.close(runId);
      throw toEdgeError(error);
    }
  }

  /** Creates a task for the built-in agent, in one transaction with its run and the message that it answers. */
  async #createTask(
    caller: Caller,
    conversation: ConversationRow,
    { runId, content, options, accepted, timer, end }: NewRun,
  ): Promise<void> {
    const { conversations, feeds, runtime, tasks } = this.#deps;
    const now = runtime.now().toISOString();
    const run: Omit<AgentRunRow, 'task_id'> = {
      id: runId,
      kind: 'agentic',
      status: 'queued',
      owner_id: conversation.owner_id,
      conversation_id: conversation.id,
      options: JSON.stringify(options),
      state: null,
      partial: null,
      daemon: null,
      fence: 0,
      created_at: now,
      updated_at: now,
    };
    const added = { id: options.userMessageId, role: 'user', content };
    await tasks.createFor(
      caller,
      {
        title: titleOf(content),
        prompt: content,
        // A person is waiting for the answer.
        priority: 1,
        source: 'api',
        labels: ['agentic'],
        assignedAgent: 'builtin',
        maxAttempts: ATTEMPTS,
        metadata: { conversationId: conversation.id },
      },
      {
        scope: 'agentic',
        key: undefined,
        body: undefined,
        isText: true,
        isInteractive: true,
        attach: async (transaction, { id: taskId }) => {
          const { db } = transaction;
          const message =
            accepted?.message ?? (await conversations.appendWith(db, caller, conversation.id, added));
          transaction.insertLater('agent_runs', { ...run, task_id: taskId });
          // With the commit, because the run may begin with it too.
          transaction.afterCommit(() => {
            feeds.begin(runId, conversation.id);
            feeds.emit(runId, userMessageEvent({ message, compaction: accepted?.compaction }, taskId));
            end.look = this.#closeWithTask(caller, taskId, runId, timer);
          });
        },
      },
    );
  }

  /** An agent that reported its outcome has stored its answer already. */
  async #storeFailure(runId: string, failure: RunFailure): Promise<void> {
    const row = await this.#deps.runs.find(runId);
    if (row) await this.#deps.agenticRuns.storeFailure(row, failure);
  }

  /**
   * Closes the stream when the task finishes without its agent, or gets no worker in time; answers what looks whether it has.
   */
  #closeWithTask(caller: Caller, taskId: string, runId: string, timer: RunTimer): () => void {
    const { bus, tasks, store, feeds, log, timers } = this.#deps;
    const fail = (failure: RunFailure) => {
      feeds.emit(runId, toErrorEvent(failure));
      feeds.close(runId);
      this.#storeFailure(runId, failure).catch((error: unknown) =>
        log.warn({ runId, reason: messageOf(error) }, 'the end of a run could not be stored'),
      );
    };
    const onError = (error: unknown) =>
      log.error({ taskId, reason: messageOf(error) }, 'the task of a run could not be read');
    const expire = async () => {
      timer.stop();
      // The daemon that runs it ends it in time.
      if ((await store.findHead(taskId))?.status === 'in_progress') return;
      fail(new RunFailure('timeout', 'TIMEOUT', `No worker was free within ${timers.ms / 1000} s`));
      tasks.cancel(caller, taskId).catch((error: unknown) => {
        // The task finished in the meantime.
        if (!(error instanceof AppError))
          log.error({ taskId, reason: messageOf(error) }, 'a run that timed out could not be cancelled');
      });
    };
    timer.signal.addEventListener('abort', () => {
      if (!timer.isTaken) expire().catch(onError);
    });
    const settle = (status: TaskStatus) => {
      if (!isTerminal(status)) return;
      timer.stop();
      unsubscribe();
      stopLooking();
      // An agent that completed has stored its answer and closed the stream already.
      if (status === 'completed') feeds.close(runId);
      else if (status === 'cancelled') fail(cancelled());
      else fail(new RunFailure('unknown', 'FAILED', 'The run finished without an answer'));
    };
    const look = () => {
      store.findHead(taskId).then((task) => settle(task?.status ?? 'cancelled'), onError);
    };
    const unsubscribe = bus.on('task', ({ task }) => {
      if (task.id === taskId) settle(task.status);
    });
    const stopLooking = bus.onDoubt(look);
    return look;
  }
}

function titleOf(content: string): string {
  const line = content.trim().split('\n')[0]?.trim() ?? '';
  return line.length <= TITLE_LENGTH ? line : `${line.slice(0, TITLE_LENGTH - 1)}…`.toWellFormed();
}
