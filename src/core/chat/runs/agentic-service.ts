import type { Compaction } from '../../../contract/conversations.ts';
import type { SendAgenticMessage } from '../../../contract/run-events.ts';
import { type Caller, mayRunCommands } from '../../auth/caller.ts';
import { AppError, messageOf } from '../../errors.ts';
import type { EventBus } from '../../events.ts';
import type { Log } from '../../log.ts';
import type { Runtime } from '../../runtime.ts';
import type { TaskService } from '../../tasks/task-service.ts';
import { isTerminal } from '../../tasks/task-states.ts';
import type { Compactor } from '../compactor.ts';
import type { ConversationService } from '../conversation-service.ts';
import type { ConversationStore } from '../conversation-store.ts';
import type { ModelProviders } from '../../providers/model-providers.ts';
import type { ResolvedModel } from '../../providers/resolved-model.ts';
import type { TaskContext } from '../task-context.ts';
import type { RunFeeds } from './run-feeds.ts';

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
  compactor: Compactor;
  conversationStore: ConversationStore;
  taskContext: TaskContext;
  tasks: Pick<TaskService, 'createFor' | 'cancel'>;
  feeds: RunFeeds;
  /** How long a session may take, waiting for a worker included. */
  sessionMs: number;
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
  async start(caller: Caller, conversationId: string, wish: SendAgenticMessage, signal: AbortSignal) {
    const { conversations, providers, tasks, feeds, runtime } = this.#deps;
    const conversation = await conversations.find(caller, conversationId);
    // What can never be answered is not stored.
    const model = await providers.resolve(wish);
    const { content, ...limits } = wish;
    const userMessage = await conversations.append(caller, conversationId, { role: 'user', content });
    const compaction = await this.#makeRoom(model, conversationId);
    const runId = runtime.newId('sess');
    const events = feeds.open(runId, signal);
    const options: AgenticOptions = {
      ...limits,
      userMessageId: userMessage.id,
      answerId: runtime.newId('msg'),
      mayRunCommands: mayRunCommands(caller),
    };
    const now = runtime.now().toISOString();
    const { answer: task } = await tasks.createFor(
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
        metadata: { conversationId },
      },
      {
        scope: 'agentic',
        key: undefined,
        body: undefined,
        isText: true,
        attach: (transaction, created) => {
          transaction.insertLater('agent_runs', {
            id: runId,
            kind: 'agentic',
            status: 'queued',
            owner_id: conversation.owner_id,
            conversation_id: conversationId,
            task_id: created.id,
            options: JSON.stringify(options),
            state: null,
            created_at: now,
            updated_at: now,
          });
          return created;
        },
      },
    );
    feeds.emit(runId, {
      type: 'user_message',
      data: {
        id: userMessage.id,
        content,
        compactionApplied: compaction !== undefined,
        messageCount: userMessage.seq,
        taskId: task.id,
      },
    });
    this.#endWithTask(caller, task.id, runId);
    return events;
  }

  /** Sums up older messages where the model's window is full; the run then finds them so. */
  async #makeRoom(model: ResolvedModel, conversationId: string): Promise<Compaction | undefined> {
    const { compactor, conversationStore, taskContext, sessionMs } = this.#deps;
    const conversation = await conversationStore.find(conversationId);
    if (!conversation) throw new AppError('not_found', 'Conversation not found');
    const context = await taskContext.ofConversation(conversation);
    const signal = AbortSignal.timeout(sessionMs);
    return (await compactor.fit(model, { conversation, context }, signal)).compaction;
  }

  /** A task that ends without its agent, or that never gets one in time, ends the stream too. */
  #endWithTask(caller: Caller, taskId: string, runId: string): void {
    const { bus, tasks, feeds, log, sessionMs } = this.#deps;
    const tell = (message: string, code: string) => {
      feeds.emit(runId, { type: 'error', data: { message, code } });
      feeds.close(runId);
    };
    const timer = setTimeout(() => {
      tell(`No worker was free within ${sessionMs / 1000} s`, 'TIMEOUT');
      tasks.cancel(caller, taskId).catch((error: unknown) => {
        // It ended by itself at this moment.
        if (!(error instanceof AppError)) log.error({ taskId, reason: messageOf(error) }, 'a run is left');
      });
    }, sessionMs);
    timer.unref();
    const unsubscribe = bus.on('task', ({ task, event }) => {
      if (task.id !== taskId) return;
      if (event.type === 'started') clearTimeout(timer);
      if (!isTerminal(task.status)) return;
      clearTimeout(timer);
      unsubscribe();
      // Where the agent was there to say how it ended, the stream is closed by now.
      if (task.status === 'cancelled') tell('The run was cancelled', 'CANCELLED');
      else tell('The run ended without an answer', 'FAILED');
    });
  }
}

function titleOf(content: string): string {
  const line = content.trim().split('\n')[0]?.trim() ?? '';
  return line.length <= TITLE_LENGTH ? line : `${line.slice(0, TITLE_LENGTH - 1)}…`.toWellFormed();
}
