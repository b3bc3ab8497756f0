import type { CompactConversation } from '../../contract/conversations.ts';
import type { Caller } from '../auth/caller.ts';
import { AppError } from '../errors.ts';
import type { ModelProviders } from '../providers/model-providers.ts';
import type { Runtime } from '../runtime.ts';
import type { Database } from '../storage/database.ts';
import type { Compacted, Compactor } from './compactor.ts';
import type { ConversationFeeds } from './conversation-feeds.ts';
import { usedInConversation } from '../usage/used-by.ts';
import type { RepositoryNames } from '../worktrees/repository-names.ts';
import type { ConversationService } from './conversation-service.ts';
import { currentRunOf } from './current-run.ts';
import type { TaskContext } from './task-context.ts';

export interface ConversationCompactionDeps {
  database: Database;
  conversations: ConversationService;
  compactor: Pick<Compactor, 'compact'>;
  providers: Pick<ModelProviders, 'resolve'>;
  taskContext: TaskContext;
  repositoryNames: Pick<RepositoryNames, 'of'>;
  feeds: ConversationFeeds;
  runtime: Runtime;
}

/** Summarizes a conversation when a person asks for it, instead of when it no longer fits. */
export class ConversationCompaction {
  readonly #deps: ConversationCompactionDeps;
  constructor(deps: ConversationCompactionDeps) {
    this.#deps = deps;
  }

  /** Refused while a turn is not finished; a failure of the provider changes nothing. */
  async compact(
    caller: Caller,
    id: string,
    { keep, ...which }: CompactConversation,
    signal: AbortSignal,
  ): Promise<Compacted & { runId: string }> {
    const { conversations, providers, compactor, taskContext, database } = this.#deps;
    const found = await conversations.find(caller, id);
    const { agent } = found;
    if (agent !== null)
      throw new AppError(
        'wrong_state',
        `${agent} sums up its own session when it has to: there is nothing to do`,
      );
    const model = await providers.resolve(
      which,
      await usedInConversation(this.#deps.repositoryNames, caller, found),
    );
    if (await conversations.isInTurn(id)) throw stillAnswering();
    return conversations.inTurn(id, async () => {
      if (await currentRunOf(database, id)) throw stillAnswering();
      const conversation = await conversations.find(caller, id);
      const context = await taskContext.ofConversation(conversation);
      const compacted = await compactor.compact(model, { conversation, context }, { keep, signal });
      return { ...compacted, runId: this.#publish(id, compacted) };
    });
  }

  #publish(id: string, { compaction: { tokensBefore, tokensAfter } }: Compacted): string {
    const { feeds, runtime } = this.#deps;
    const runId = runtime.newId('run');
    feeds.begin(id, runId);
    feeds.emit(runId, {
      type: 'compaction',
      data: { tokensBefore, tokensAfter },
      timestamp: runtime.now().getTime(),
    });
    feeds.end(runId);
    return runId;
  }
}

const stillAnswering = () =>
  new AppError(
    'wrong_state',
    'A turn of this conversation is not finished: wait for it, decide its approvals, or stop it',
  );
