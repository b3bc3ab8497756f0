import type { UserStore } from '../../auth/user-store.ts';
import type { Config } from '../../config/config.ts';
import type { PolicyService } from '../../policy/policy-service.ts';
import { memoryScopeOf } from '../../memory/memory-scope.ts';
import { projectRootOf } from '../../paths/project-root.ts';
import { modeFor, stricterMode } from '../../policy/security-modes.ts';
import type { ModelProviders } from '../../providers/model-providers.ts';
import type { Runtime } from '../../runtime.ts';
import type { Database } from '../../storage/database.ts';
import type { AgentRunRow } from '../../storage/rows/agent-runs.ts';
import type { TaskStore } from '../../tasks/task-store.ts';
import { isCreatedByTool } from '../../tasks/task-origin.ts';
import type { Recall } from '../recall/recall.ts';
import type { TaskLessons } from '../recall/task-lessons.ts';
import type { AgentRunStore } from './agent-run-store.ts';
import { type Attempt, type PreparedRun, storedState } from './attempt.ts';
import { beginRun } from './begin-run.ts';
import { toFinishedRun } from './run-end.ts';
import { RunFailure } from './run-failure.ts';
import type { RunPlan } from './run-order.ts';
import { taskRules } from './run-policy.ts';
import { areAdmins } from './run-rights.ts';
import { promptOfTask, questionOfTask } from './task-prompt.ts';
import { agentInstructions, instructionsOf } from './work-instructions.ts';

export interface TaskRunsDeps {
  database: Database;
  config: Config;
  tasks: TaskStore;
  runs: AgentRunStore;
  users: UserStore;
  providers: Pick<ModelProviders, 'resolve'>;
  policy: PolicyService;
  recall: Pick<Recall, 'forQuestion'>;
  lessons: TaskLessons;
  /** The real path of a directory. */
  realPath: (directory: string) => Promise<string>;
  runtime: Runtime;
}

/** Prepares runs of tasks for the built-in agent; the answer becomes the result of the task. */
export class TaskRuns {
  readonly #deps: TaskRunsDeps;
  constructor(deps: TaskRunsDeps) {
    this.#deps = deps;
  }

  async prepare({ id, agentRun, signal, sink }: Attempt, row?: AgentRunRow): Promise<PreparedRun> {
    const { providers, policy, config, runtime, realPath, tasks, users, runs, lessons } = this.#deps;
    const { task } = agentRun;
    const stored = await tasks.find(task.id);
    if (!stored) throw new RunFailure('invalid_input', 'NOT_FOUND', 'The task was deleted');
    const model = await providers.resolve({ model: config.get('agents.builtin.model') });
    const workspace = await realPath(await agentRun.workspace());
    const isProject = task.cwd !== undefined;
    const memoryScope = await memoryScopeOf(task.memoryScope ?? config.get('memory.scope'), {
      workspace,
      isProject,
    });
    const { owner_id: userId } = stored;
    const isTrusted = stored.is_trusted === 1;
    const mayRunCommands = stored.may_command === 1 && (await areAdmins(users, userId));
    const requested = modeFor(policy.policy.defaultMode, task.securityMode, mayRunCommands);
    const mode = isTrusted ? requested : stricterMode(requested, 'allowlist');
    const state =
      storedState(row) ??
      (await beginRun(this.#deps.recall, {
        messages: [{ role: 'user', content: promptOfTask(task) }],
        ownerId: userId,
        question: questionOfTask(task),
        mode,
        isTrusted,
        isTainted: isCreatedByTool(task.metadata),
        scope: memoryScope,
        signal,
      }));
    const plan: RunPlan = {
      id,
      taskId: task.id,
      userId,
      model,
      state,
      instructions: instructionsOf(agentInstructions, { workspace, mode, today: runtime.now() }),
      workspace,
      isProject,
      memoryScope,
      umask: task.umask,
      mode,
      hasTools: true,
      mayRunCommands,
      isTrusted,
      isStreamed: true,
      showsThinking: true,
      isAnnounced: false,
      signal,
    };
    // What is learned belongs to the project even where the run used all of the memory.
    const project = isProject ? await projectRootOf(workspace) : undefined;
    const limits = {
      steps: config.get('agents.builtin.maxSteps'),
      tokens: config.get('agents.builtin.maxBudget') ?? null,
    };
    if (!row) await this.#create(id, task.id, userId);
    const store = {
      save: (saved: typeof state) => runs.save(id, { state: JSON.stringify(saved) }),
      keep: async ({ kind }: { kind: string }) => {
        if (kind === 'done') lessons.learnOnCompletion(task.id, { ...toFinishedRun(state), project });
        return undefined;
      },
    };
    return { plan, policy: { ...taskRules(limits), store, sink } };
  }

  async #create(id: string, taskId: string, ownerId: string): Promise<void> {
    const { database, runs, runtime } = this.#deps;
    const now = runtime.now().toISOString();
    await database.write(({ db }) =>
      runs.insert(db, {
        id,
        kind: 'task',
        status: 'running',
        owner_id: ownerId,
        conversation_id: null,
        task_id: taskId,
        options: '{}',
        state: null,
        partial: null,
        created_at: now,
        updated_at: now,
      }),
    );
  }
}
