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
/** A crash of the daemon is no reason to give up; everything else is told to the person at once. */
const ATTEMPTS = 2;

/** What the agent has to know of an agentic message, beside its task. */
export interface AgenticOptions extends Omit<SendAgenticMessage, 'content'> {
  userMessageId: string;
  /** The message that the answer becomes, however many attempts it takes. */
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

/** Lets a model work on a message by itself, as a task of the queue that goes on when nobody reads along. */
export class AgenticService {
  readonly #deps: AgenticServiceDeps;
  constructor(deps: AgenticServiceDeps) {
    this.#deps = deps;
  }

  /** The events of the run from its first on; when the reader leaves, the run goes on. */
  async start(caller: Caller, conversationId: string, input: SendAgenticMessage, signal: AbortSignal) {
    const { conversations, providers, feeds, timers, runtime } = this.#deps;
    const conversation = await conversations.find(caller, conversationId);
    // What can never be answered is not stored.
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
      this.#endWithTask(caller, taskId, runId, timer);
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
        // A person waits for it.
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
        attach: (transaction, created) => {
          transaction.insertLater('agent_runs', { ...run, task_id: created.id });
          return created;
        },
      },
    );
    return task.id;
  }

  /** A task that ends without its agent, or that never gets one in time, ends the stream too. */
  #endWithTask(caller: Caller, taskId: string, runId: string, timer: RunTimer): void {
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
        // It ended by itself at this moment.
        if (!(error instanceof AppError)) log.error({ taskId, reason: messageOf(error) }, 'a run is left');
      });
    });
    const unsubscribe = bus.on('task', ({ task }) => {
      if (task.id !== taskId || !isTerminal(task.status)) return;
      timer.stop();
      unsubscribe();
      // Where the agent could report how it ended, the stream is closed by now.
      if (task.status === 'cancelled') fail(cancelled());
      else fail(new RunFailure('unknown', 'FAILED', 'The run ended without an answer'));
    });
  }
}

function titleOf(content: string): string {
  const line = content.trim().split('\n')[0]?.trim() ?? '';
  return line.length <= TITLE_LENGTH ? line : `${line.slice(0, TITLE_LENGTH - 1)}…`.toWellFormed();
}
