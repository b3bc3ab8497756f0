import { bestOfAgent } from '../../contract/best-of.ts';
import type { Choice } from '../../contract/best-of.ts';
import type { Task } from '../../contract/task.ts';
import { type AgentAdapter, type AgentAnswer, AgentFailure, type AgentRun } from '../agents/agent-adapter.ts';
import type { WorktreeChanges } from '../changes/worktree-changes.ts';
import type { StoredTask } from '../tasks/task-mapping.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import { awaitPick, type PickDeps } from './await-pick.ts';
import type { CandidateJudge } from './candidate-judge.ts';
import { CandidateWatch, type WatchDeps, type WatchedTask } from './candidate-watch.ts';
import { describeCandidate, durationOf, type Spending, totalOf } from './describe-candidate.ts';
import { rankCandidates, rankFailures, whyFirst } from './rank-candidates.ts';
import { startCandidates, type StartDeps } from './start-candidates.ts';

export interface BestOfDeps extends Omit<StartDeps, 'taskStore'>, PickDeps, Omit<WatchDeps, 'monotonic'> {
  taskStore: Pick<TaskStore, 'find' | 'lockHead'>;
  judge: Pick<CandidateJudge, 'choose'>;
  worktreeChanges: Pick<WorktreeChanges, 'patch'>;
}

/** What a decision came to, with what it used itself. */
interface Decided {
  choice: Choice | undefined;
  spending: Spending;
}

/** Runs a task by letting several agents do it, and takes the best result as its own. */
export class BestOfAdapter implements AgentAdapter {
  readonly type = bestOfAgent;
  readonly name = 'Best of several';
  readonly description = 'Lets several agents do a task, and takes the best result';
  readonly capabilities = [];
  readonly needs = ['command'] as const;
  readonly isChosenByLabels = false;
  readonly faults = [];
  readonly obeysLimits = true;
  readonly countsCalls = true;
  readonly isCoordinator = true;
  readonly #deps: BestOfDeps;
  constructor(deps: BestOfDeps) {
    this.#deps = deps;
  }

  missingConfig(): undefined {
    return undefined;
  }

  async checkHealth() {
    return { healthy: true };
  }

  /** Continues where an earlier run of the task was interrupted. */
  async execute(run: AgentRun): Promise<AgentAnswer> {
    const { taskStore, candidates, runtime } = this.#deps;
    const { task, signal } = run;
    const row = await taskStore.find(task.id);
    if (!row) throw new AgentFailure('invalid_input', 'not_found', 'The task was deleted', { isFinal: true });
    const watched: WatchedTask = { parent: task, emit: (event) => run.emit(event), signal };
    const watch = new CandidateWatch({ ...this.#deps, monotonic: runtime.monotonic }, watched);
    try {
      await watch.open();
      await startCandidates(this.#deps, row, (id, number) => watch.name(id, number));
      await run.whileWaiting(() => watch.untilFinished());
    } finally {
      watch.close();
    }
    const { choice, spending } = await this.#decide(run, row, watch.spent !== undefined);
    const ended = await candidates.list(task.id);
    const winner = ended.find(({ id }) => id === choice?.candidateId);
    const result = {
      ...totalOf([...ended.map((each) => each.result ?? {}), spending]),
      duration: durationOf(ended),
      candidates: ended.map((each) => describeCandidate(each, choice)),
    };
    if (!winner) throw failureOf(ended, result, watch.spent);
    return { ...resultOf(winner, task.id), ...result };
  }

  /** The choice that was made already, or makes it. */
  async #decide(run: AgentRun, row: StoredTask, isSpent: boolean): Promise<Decided> {
    const { candidates } = this.#deps;
    const made = await candidates.choiceOf(run.task.id);
    if (made) return { choice: made, spending: {} };
    const ended = await candidates.list(run.task.id);
    const ranked = rankCandidates(ended);
    const [first] = ranked;
    if (!first) return { choice: undefined, spending: {} };
    const { choice, spending } = await this.#compare({ run, row, ended, ranked, isSpent });
    return { choice: await candidates.choose(run.task.id, choice), spending };
  }

  async #compare(order: {
    run: AgentRun;
    row: StoredTask;
    ended: readonly Task[];
    ranked: readonly Task[];
    isSpent: boolean;
  }): Promise<{ choice: Choice; spending: Spending }> {
    const { run, row, ended, ranked, isSpent } = order;
    const { pick } = run.task.bestOf ?? { pick: 'verify' };
    const byRule = (remark?: string): Choice => ({
      candidateId: ranked[0]?.id ?? '',
      by: 'verify',
      reason: remark === undefined ? whyFirst(ranked) : `${whyFirst(ranked)}; ${remark}`,
    });
    if (ranked.length === 1 || pick === 'verify') return { choice: byRule(), spending: {} };
    if (pick === 'person') {
      const options = { ownerId: row.owner_id, ended };
      const picked = await run.whileWaiting(() => awaitPick(this.#deps, run, options));
      return { choice: picked ?? byRule('no one chose in time'), spending: {} };
    }
    if (isSpent)
      return { choice: byRule('the budget was used up before a model could compare'), spending: {} };
    run.emit({ type: 'progress', message: `A model compares ${ranked.length} candidates` });
    const judged = await this.#judge(run, row, ranked);
    const { spending } = judged;
    if ('problem' in judged) return { choice: byRule(judged.problem), spending };
    return { choice: { candidateId: judged.candidateId, by: 'judge', reason: judged.reason }, spending };
  }

  async #judge(run: AgentRun, row: StoredTask, ranked: readonly Task[]) {
    const { judge, worktreeChanges } = this.#deps;
    const reader = { userId: row.owner_id, role: 'user' as const };
    const candidates = await Promise.all(
      ranked.map(async (task) => ({
        task,
        patch: task.result?.changes ? (await worktreeChanges.patch(reader, task.id)).toString('utf8') : '',
      })),
    );
    return judge.choose(run, candidates);
  }
}

/** The result of the winner as that of the task. */
function resultOf({ result }: Task, taskId: string): AgentAnswer {
  if (!result) return { output: '' };
  const { success: _, changes, ...rest } = result;
  return {
    ...rest,
    ...(changes && { changes: { ...changes, patch: `/api/tasks/${taskId}/changes/patch` } }),
  };
}

/** Where none completed: the failure of the one that came furthest. */
function failureOf(
  ended: readonly Task[],
  result: Omit<AgentAnswer, 'output'>,
  spent: string | undefined,
): AgentFailure {
  const [best] = rankFailures(ended);
  const options = { isFinal: true, result: { output: best?.result?.output ?? '', ...result } };
  if (spent !== undefined)
    return new AgentFailure(
      'budget',
      'max_budget',
      `The candidates reached their limit of ${spent}`,
      options,
    );
  const {
    class: failure,
    code,
    message,
  } = best?.error ?? {
    class: 'cancelled' as const,
    code: 'cancelled',
    message: 'cancelled',
  };
  const text = `None of ${ended.length} candidates completed. The best one: ${message}`;
  return new AgentFailure(failure, code, text, options);
}
