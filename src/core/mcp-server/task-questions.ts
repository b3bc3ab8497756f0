import type { Approval } from '../../contract/approvals.ts';
import type { ApprovalService } from '../approvals/approval-service.ts';
import type { Caller } from '../auth/caller.ts';
import type { EventBus } from '../events.ts';
import type { AskPerson } from './served-tool.ts';

const MAX_WAITING = 50;

export interface TaskQuestionDeps {
  approvals: Pick<ApprovalService, 'list'>;
  bus: Pick<EventBus, 'on' | 'onDoubt'>;
}

/** The questions of one task while a client waits for it. */
export interface OpenQuestions {
  /** Aborts once the question that is open now is answered, or decided elsewhere; undefined where none is open. */
  answered(): AbortSignal | undefined;
  /** Asks no more, and takes back the question that is open; throws what kept it from asking. */
  close(): Promise<void>;
}

/** Asks the person at a client about the calls of a task that wait for a decision, one after the other, and each once. */
export class TaskQuestions {
  readonly #deps: TaskQuestionDeps;
  constructor(deps: TaskQuestionDeps) {
    this.#deps = deps;
  }

  follow(caller: Caller, taskId: string, ask: AskPerson): OpenQuestions {
    const { bus } = this.#deps;
    const closing = new AbortController();
    let open: AbortController | undefined;
    let failure: { error: unknown } | undefined;
    let wake = Promise.withResolvers<void>();
    const look = () => wake.resolve();
    const subscriptions = [
      bus.on('approval', ({ row }) => {
        if (row.task_id === taskId && row.status === 'pending') look();
      }),
      bus.onDoubt(look),
    ];
    const asked = new Set<string>();
    const run = async () => {
      while (!closing.signal.aborted) {
        wake = Promise.withResolvers<void>();
        const next = await this.#next(caller, taskId, asked);
        if (!next) {
          await wake.promise;
          continue;
        }
        asked.add(next.id);
        open = new AbortController();
        await ask(next, closing.signal);
        open.abort();
        open = undefined;
      }
    };
    const running = run().catch((error: unknown) => {
      // What is not finished when the wait ends is not missed.
      if (!closing.signal.aborted) failure = { error };
    });
    return {
      answered: () => open?.signal,
      close: async () => {
        closing.abort();
        look();
        for (const unsubscribe of subscriptions) unsubscribe();
        await running;
        if (failure) throw failure.error;
      },
    };
  }

  async #next(caller: Caller, taskId: string, asked: ReadonlySet<string>): Promise<Approval | undefined> {
    const { approvals } = await this.#deps.approvals.list(caller, {
      status: 'pending',
      taskId,
      limit: MAX_WAITING,
    });
    // An answer of a client carries no signature.
    return approvals.find(({ id, needsSignature }) => !needsSignature && !asked.has(id));
  }
}
