import type { SendAgenticMessage } from '../../../contract/run-events.ts';
import { type Caller, mayRunCommands } from '../../auth/caller.ts';
import { AppError, messageOf } from '../../errors.ts';
import type { EventBus } from '../../events.ts';
import type { Log } from '../../log.ts';
import type { Runtime } from '../../runtime.ts';
import type { ConversationRow } from '../../storage/rows/conversations.ts';
import type { AgentRunRow } from '../../storage/rows/agent-runs.ts';
import type { TaskService } from '../../tasks/task-service.ts';
import { isTerminal } from '../../tasks/task-states.ts';
import type { ConversationService } from '../conversation-service.ts';
import type { ModelProviders } from '../../providers/model-providers.ts';
import { cancelled, RunFailure, toEdgeError, toErrorEvent } from './run-failure.ts';
import type { RunFeeds } from './run-feeds.ts';
import { userMessageEvent } from './run-start.ts';
import type { RunTimer, RunTimers } from './run-timers.ts';

const TITLE_LENGTH = 200;
/** Only a crash of the daemon is retried; every other failure goes to the user at once. */
const ATTEMPTS = 2;

/** The options of an agentic message that its task does not hold. */
export interface AgenticOptions extends Omit<SendAgenticMessage, 'content'> {
  userMessageId: string;
  /** The id of the answer, the same in every attempt. */
  answerId: string;
  mayRunCommands: boolean;
}

export interface AgenticServiceDeps {
  bus: EventBus;
  conversations: ConversationService;
  providers: Pick<ModelProviders, 'resolve'>;
  tasks: Pick<TaskService, 'createFor' | 'cancel'>;
  feeds: RunFeeds;
  timers: RunTimers;
  runtime: Runtime;
  log: Log;
}

/** Runs agentic messages as tasks of the queue, which continue when the client disconnects. */
export class AgenticService {
  readonly #deps: AgenticServiceDeps;
  constructor(deps: AgenticServiceDeps) {
    this.#deps = deps;
  }

  /** Starts the run and streams its events from the first; the run continues when the client disconnects. */
  async start(caller: Caller, conversationId: string, input: SendAgenticMessage, signal: AbortSignal) {
    const { conversations, providers, feeds, timers, runtime } = this.#deps;
    const conversation = await conversations.find(caller, conversationId);
    // Fails before anything is stored where no model can answer.
    const model = await providers.resolve(input);
    const { content, ...limits } = input;
    const runId = runtime.newId('run');
    const timer = timers.start(runId);
    try {
      const accepted = await conversations.accept(caller, conversationId, content, {
        model,
        signal: timer.signal,
      });
      const events = feeds.open(runId, signal);
      const options: AgenticOptions = {
        ...limits,
        userMessageId: accepted.message.id,
        answerId: runtime.newId('msg'),
        mayRunCommands: mayRunCommands(caller),
      };
      const taskId = await this.#createTask(caller, conversation, { runId, content, options });
      feeds.emit(runId, userMessageEvent(accepted, taskId));
      this.#closeWithTask(caller, taskId, runId, timer);
      return events;
    } catch (error) {
      timer.stop();
      throw toEdgeError(error);
    }
  }

  /** A task for the built-in agent, with its run in the same transaction. */
  async #createTask(
    caller: Caller,
    conversation: ConversationRow,
    { runId, content, options }: { runId: string; content: string; options: AgenticOptions },
  ): Promise<string> {
    const now = this.#deps.runtime.now().toISOString();
    const run: Omit<AgentRunRow, 'task_id'> = {
      id: runId,
      kind: 'agentic',
      status: 'queued',
      owner_id: conversation.owner_id,
      conversation_id: conversation.id,
      options: JSON.stringify(options),
      state: null,
      created_at: now,
      updated_at: now,
    };
    const { answer: task } = await this.#deps.tasks.createFor(
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
        attach: (transaction, created) => {
          transaction.insertLater('agent_runs', { ...run, task_id: created.id });
          return created;
        },
      },
    );
    return task.id;
  }

  /** Closes the stream when the task finishes without its agent, or gets no worker in time. */
  #closeWithTask(caller: Caller, taskId: string, runId: string, timer: RunTimer): void {
    const { bus, tasks, feeds, log, timers } = this.#deps;
    const fail = (failure: RunFailure) => {
      feeds.emit(runId, toErrorEvent(failure));
      feeds.close(runId);
    };
    timer.signal.addEventListener('abort', () => {
      if (timer.isTaken) return;
      timer.stop();
      fail(new RunFailure('timeout', 'TIMEOUT', `No worker was free within ${timers.ms / 1000} s`));
      tasks.cancel(caller, taskId).catch((error: unknown) => {
        // The task finished in the meantime.
        if (!(error instanceof AppError))
          log.error({ taskId, reason: messageOf(error) }, 'a run that timed out could not be cancelled');
      });
    });
    const unsubscribe = bus.on('task', ({ task }) => {
      if (task.id !== taskId || !isTerminal(task.status)) return;
      timer.stop();
      unsubscribe();
      // An agent that reported its outcome has closed the stream already.
      if (task.status === 'cancelled') fail(cancelled());
      else fail(new RunFailure('unknown', 'FAILED', 'The run finished without an answer'));
    });
  }
}

function titleOf(content: string): string {
  const line = content.trim().split('\n')[0]?.trim() ?? '';
  return line.length <= TITLE_LENGTH ? line : `${line.slice(0, TITLE_LENGTH - 1)}…`.toWellFormed();
}
