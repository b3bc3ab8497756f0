import type { Choice } from '../../contract/best-of.ts';
import type { Candidate, Task } from '../../contract/task.ts';
import { type Caller, requireOwned } from '../auth/caller.ts';
import { AppError } from '../errors.ts';
import { toTask } from '../tasks/task-mapping.ts';
import { isTerminal } from '../tasks/task-states.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import type { CandidateStore } from './candidate-store.ts';
import { describeCandidate } from './describe-candidate.ts';

export interface CandidateServiceDeps {
  candidates: CandidateStore;
  taskStore: Pick<TaskStore, 'find'>;
}

/** Shows the candidates of a task, and lets a person choose one. */
export class CandidateService {
  readonly #deps: CandidateServiceDeps;
  constructor(deps: CandidateServiceDeps) {
    this.#deps = deps;
  }

  async list(caller: Caller, id: string): Promise<{ candidates: Candidate[]; choice?: Choice }> {
    const { choice, result } = await this.#require(caller, id);
    const tasks = await this.#deps.candidates.list(id);
    // Candidates may have been deleted since.
    const candidates =
      tasks.length > 0 ? tasks.map((task) => describeCandidate(task, choice)) : (result?.candidates ?? []);
    return { candidates, ...(choice && { choice }) };
  }

  /** Chooses a candidate that has completed; the others are stopped. */
  async pick(caller: Caller, id: string, candidateId: string): Promise<Choice> {
    const { bestOf, status } = await this.#require(caller, id);
    if (isTerminal(status))
      throw new AppError(
        'wrong_state',
        `The task is ${status}. Take the changes of another candidate: svc tasks apply ${candidateId}`,
      );
    if (bestOf?.pick !== 'person')
      throw new AppError(
        'wrong_state',
        'No person chooses among the candidates of this task: it began without --pick person',
      );
    const candidate = (await this.#deps.candidates.list(id)).find((each) => each.id === candidateId);
    if (!candidate) throw new AppError('not_found', 'Candidate not found');
    if (candidate.status !== 'completed')
      throw new AppError(
        'wrong_state',
        `The candidate is ${candidate.status}. Choose one that has completed`,
      );
    const choice = { candidateId, by: 'person' as const, reason: 'chosen by you' };
    const held = await this.#deps.candidates.choose(id, choice);
    if (held?.candidateId === candidateId) return held;
    throw new AppError(
      'wrong_state',
      held ? `${held.candidateId} is already chosen` : 'The task has finished',
    );
  }

  async #require(caller: Caller, id: string): Promise<Task> {
    const row = requireOwned(caller, await this.#deps.taskStore.find(id), 'Task');
    if (row.best_of === null) throw new AppError('wrong_state', 'The task has no candidates');
    return toTask(row);
  }
}
