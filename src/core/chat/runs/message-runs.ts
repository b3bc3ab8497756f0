import type { SecurityMode } from '../../../contract/security-mode.ts';
import type { Config } from '../../config/config.ts';
import { memoryScopeOf } from '../../memory/memory-scope.ts';
import { projectRootOf } from '../../paths/project-root.ts';
import type { UsedBy } from '../../usage/usage-record.ts';
import type { UserStore } from '../../auth/user-store.ts';
import type { Log } from '../../log.ts';
import type { ResolvedModel } from '../../providers/resolved-model.ts';
import type { ConversationRow } from '../../storage/rows/conversations.ts';
import type { PreparedRun } from './attempt.ts';
import { toErrorEvent, toRunFailure } from './run-failure.ts';
import type { RunFeeds } from './run-feeds.ts';
import type { RunPlan } from './run-order.ts';
import { messageRules, type RunStorage } from './run-policy.ts';
import { areAdmins } from './run-rights.ts';
import type { RunState } from './run-state.ts';

/** What is stored to resume a message that waits for approvals. */
export interface MessageOptions {
  content: string;
  instructions: string;
  mode: SecurityMode;
  provider: ResolvedModel['provider'];
  model: string;
  /** Of the model, where it is known. */
  contextWindow?: number;
  isStreamed: boolean;
  enableTools: boolean;
  /** Undefined in runs of earlier versions. */
  maxRoundTrips?: number;
  /** The id of the answer, and of the message that it answers, which earlier versions did not store. */
  messageId: string;
  userMessageId?: string;
  mayRunCommands: boolean;
  /** Undefined in runs of earlier versions. */
  usedBy?: UsedBy;
}

/** The run of a message with tools. */
export interface MessageRun {
  id: string;
  conversation: ConversationRow;
  options: MessageOptions;
  state: RunState;
}

export interface MessageRunsDeps {
  users: UserStore;
  feeds: RunFeeds;
  config: Config;
  log: Log;
}

/** Prepares runs of messages with tools, whose approvals the sender decides. */
export class MessageRuns {
  readonly #deps: MessageRunsDeps;
  constructor(deps: MessageRunsDeps) {
    this.#deps = deps;
  }

  async prepare(
    { id, conversation, options, state }: MessageRun,
    {
      store,
      ...present
    }: Pick<RunPlan, 'model' | 'workspace' | 'signal' | 'isAnnounced'> & {
      store: RunStorage;
    },
  ): Promise<PreparedRun> {
    const { users, feeds, config } = this.#deps;
    const project = conversation.cwd === null ? undefined : await projectRootOf(present.workspace);
    const { instructions, mode, enableTools: hasTools, isStreamed, mayRunCommands, maxRoundTrips } = options;
    const userId = conversation.owner_id;
    return {
      plan: {
        ...present,
        id,
        conversationId: conversation.id,
        userId,
        state,
        instructions,
        project,
        memoryScope: memoryScopeOf(config.get('memory.scope'), project),
        mode,
        hasTools,
        mayRunCommands: mayRunCommands && (await areAdmins(users, userId)),
        isTrusted: true,
        isStreamed,
        showsThinking: true,
      },
      policy: {
        ...messageRules({ hasTools, ...(maxRoundTrips !== undefined && { roundTrips: maxRoundTrips }) }),
        store,
        sink: (event) => feeds.emit(id, event),
      },
    };
  }

  /** Closes the stream of a run with its error; a bug is logged and reported to the client as an internal error only. */
  fail(runId: string, error: unknown): void {
    const { feeds, log } = this.#deps;
    const failure = toRunFailure(error, () => 'Internal error');
    if (failure.code === 'INTERNAL') log.error({ runId, err: error }, 'a message with tools failed');
    feeds.emit(runId, toErrorEvent(failure));
    feeds.close(runId);
  }
}
