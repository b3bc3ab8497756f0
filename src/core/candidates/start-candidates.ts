import type { Task } from '../../contract/task.ts';
import { AgentFailure } from '../agents/agent-adapter.ts';
import { AppError } from '../errors.ts';
import type { StoredTask } from '../tasks/task-mapping.ts';
import { toTask } from '../tasks/task-mapping.ts';
import type { PlainTask } from '../tasks/task-rows.ts';
import type { TaskService } from '../tasks/task-service.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import { shareOf } from '../tasks/candidate-share.ts';
import type { CandidateStore } from './candidate-store.ts';

export interface StartDeps {
  tasks: Pick<TaskService, 'createFor'>;
  taskStore: Pick<TaskStore, 'lockHead'>;
  candidates: CandidateStore;
}

const MAX_TITLE = 500;
/** What candidates take over from their task as it is. */
const copied = [
  'description',
  'prompt',
  'priority',
  'source',
  'repository',
  'branch',
  'labels',
  'assignedAgent',
  'needs',
  'maxAttempts',
  'retryOnFailure',
  'cwd',
  'umask',
  'memoryScope',
  'securityMode',
  'verify',
  'repair',
  'model',
  'provider',
  'maxSteps',
  'outputSchema',
  'metadata',
] as const satisfies (keyof Task & keyof PlainTask)[];

/** Creates the candidates of a task that are not there yet; a crash in between never creates one twice. */
export async function startCandidates(
  deps: StartDeps,
  row: StoredTask,
  /** Called before the first event of the candidate. */
  onNew: (id: string, number: number) => void,
): Promise<void> {
  const { tasks, taskStore, candidates } = deps;
  const parent = toTask(row);
  const { count } = parent.bestOf ?? { count: 0 };
  // The rights of its creator, as they were stored with the task; agents check them again when they start.
  const caller = {
    userId: row.owner_id,
    role: row.may_command === 1 ? ('admin' as const) : ('user' as const),
  };
  for (let index = 0; index < count; index++) {
    const key = `${parent.id}/${index + 1}`;
    try {
      await tasks.createFor(caller, candidateOf(parent, index), {
        scope: 'candidates',
        key,
        body: null,
        instead: async (transaction) => {
          const head = await taskStore.lockHead(transaction, parent.id);
          if (head?.status !== 'in_progress') throw new AppError('wrong_state', 'The task has been stopped');
          return candidates.findByKey(transaction, parent.id, key);
        },
        attach: (_, task) => {
          onNew(task.id, index + 1);
          return task.id;
        },
        environment: { env: row.env, env_names: row.env_names },
        isTrusted: row.is_trusted === 1,
        parentId: parent.id,
      });
    } catch (error) {
      if (!(error instanceof AppError && (error.code === 'validation' || error.code === 'forbidden')))
        throw error;
      throw new AgentFailure('invalid_input', 'no_candidate', error.message, { isFinal: true, cause: error });
    }
  }
}

function candidateOf(parent: Task, index: number): PlainTask {
  const { agents, count } = parent.bestOf ?? { count: 1 };
  const agent = agents?.[index % agents.length];
  return {
    ...(Object.fromEntries(
      copied.flatMap((field) => (parent[field] === undefined ? [] : [[field, parent[field]]])),
    ) as Pick<PlainTask, (typeof copied)[number]>),
    ...shareOf(parent, count),
    ...(agent !== undefined && { assignedAgent: agent }),
    title: `Candidate ${index + 1} of ${count}: ${parent.title}`.slice(0, MAX_TITLE),
    worktree: true,
  };
}
