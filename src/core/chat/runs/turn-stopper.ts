import type { Caller } from '../../auth/caller.ts';
import type { Database } from '../../storage/database.ts';
import type { TaskService } from '../../tasks/task-service.ts';
import type { ConversationService } from '../conversation-service.ts';
import { currentRunOf } from '../current-run.ts';
import type { Turns } from '../turns/turns.ts';
import type { ActiveTurns } from './active-turns.ts';
import { cancelled } from './run-failure.ts';
import type { WaitingMessages } from './waiting-messages.ts';

export interface TurnStopperDeps {
  database: Database;
  conversations: ConversationService;
  turns: ActiveTurns;
  conversationTurns: Pick<Turns, 'stopElsewhere'>;
  tasks: Pick<TaskService, 'cancel'>;
  waiting: WaitingMessages;
}

/** Stops turns, for clients that did not start them too. */
export class TurnStopper {
  readonly #deps: TurnStopperDeps;
  constructor(deps: TurnStopperDeps) {
    this.#deps = deps;
  }

  /** Stops the current turn of a conversation; answers whether there was one. */
  async stop(caller: Caller, id: string): Promise<boolean> {
    const { conversations, turns, conversationTurns, tasks, waiting, database } = this.#deps;
    await conversations.find(caller, id);
    if (turns.stop(id)) return true;
    const current = await currentRunOf(database, id);
    if (current?.taskId !== undefined) {
      await tasks.cancel(caller, current.taskId);
      return true;
    }
    if (!current) return false;
    if (current.status === 'running' && (await conversationTurns.stopElsewhere(id))) return true;
    return conversations.inTurn(id, () => waiting.drop(id, cancelled()));
  }
}
