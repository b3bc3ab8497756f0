import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { Feature } from '../lifecycle.ts';
import type { TaskService } from '../tasks/task-service.ts';
import { isTerminal } from '../tasks/task-states.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import type { Worktrees } from '../worktrees/worktrees.ts';
import { BestOfAdapter, type BestOfDeps } from './best-of-adapter.ts';
import type { CandidateJudge, CandidateJudgeDeps } from './candidate-judge.ts';
import { CandidateService } from './candidate-service.ts';
import { CandidateStore } from './candidate-store.ts';

type Own = 'candidates' | 'judge' | 'cancel' | 'tasks' | 'taskStore';
export interface CandidatesDeps extends Omit<BestOfDeps, Own>, CandidateJudgeDeps {
  registry: AgentRegistry;
  tasks: TaskService;
  taskStore: TaskStore;
  worktrees: Pick<Worktrees, 'tidyOne' | 'candidatesOf'>;
  reportBug: (error: unknown) => void;
}

export interface CandidatesServices {
  candidates: CandidateService;
}

/** Wires the tasks that several agents do, of which the best result is taken. */
export function composeCandidates(deps: CandidatesDeps): Feature<CandidatesServices> {
  const { database, bus, registry, tasks, taskStore, worktrees, reportBug } = deps;
  const candidates = new CandidateStore(deps);
  const cancel = (ids: readonly string[], why: string) =>
    database.write(async (transaction) => {
      for (const id of ids) {
        const head = await taskStore.lockHead(transaction, id);
        if (head && !isTerminal(head.status)) await tasks.cancelWith(transaction, head, why);
      }
    });
  /** What remains of the candidates once their task has finished, however it did. */
  const settle = async (parentId: string) => {
    const open = await taskStore.openCandidates(parentId);
    if (open.length > 0)
      await cancel(
        open.map(({ id }) => id),
        'The task of which it is a candidate has finished',
      );
    for (const id of await worktrees.candidatesOf(parentId)) await worktrees.tidyOne(id);
  };
  // Loaded at its first use, so that the start of the daemon does not pay for it.
  const choose: CandidateJudge['choose'] = async (...order) => {
    const judge = await import('./candidate-judge.ts');
    return new judge.CandidateJudge(deps).choose(...order);
  };
  registry.registerBestOf(new BestOfAdapter({ ...deps, candidates, cancel, judge: { choose } }));
  const settling = new Set<Promise<void>>();
  bus.onLocal('task_moved', ({ task }) => {
    if (task.best_of === null || !isTerminal(task.status)) return;
    const settled = settle(task.id)
      .catch(reportBug)
      .finally(() => settling.delete(settled));
    settling.add(settled);
  });
  return {
    services: { candidates: new CandidateService({ candidates, taskStore }) },
    lifecycle: {
      async start() {
        for (const parentId of await candidates.orphans()) await settle(parentId);
      },
      stop: () => Promise.all(settling),
    },
  };
}
