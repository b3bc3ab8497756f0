import type { Task } from '../../../contract/task.ts';
import type { RepairOrder } from '../../agents/agent-adapter.ts';
import type { UserStore } from '../../auth/user-store.ts';
import type { Config } from '../../config/config.ts';
import type { PolicyService } from '../../policy/policy-service.ts';
import { memoryScopeOf } from '../../memory/memory-scope.ts';
import { projectRootOf } from '../../paths/project-root.ts';
import { modeFor, stricterMode } from '../../policy/security-modes.ts';
import type { ModelProviders } from '../../providers/model-providers.ts';
import type { ResolvedModel } from '../../providers/resolved-model.ts';
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
import { type RunLimits, taskRules } from './run-policy.ts';
import { costOfRun } from './run-budget.ts';
import { addRepair } from './run-state.ts';
import { areAdmins } from './run-rights.ts';
import { promptOfTask, questionOfTask } from './task-prompt.ts';
import { agentInstructions, instructionsOf, goalInstructions } from './work-instructions.ts';

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

  async prepare(
    { id, agentRun, signal, sink }: Attempt,
    row?: AgentRunRow,
    repair?: RepairOrder,
  ): Promise<PreparedRun> {
    const { providers, policy, config, runtime, realPath, tasks, users, runs, lessons } = this.#deps;
    const { task } = agentRun;
    const stored = await tasks.find(task.id);
    if (!stored) throw new RunFailure('invalid_input', 'NOT_FOUND', 'The task was deleted');
    const { provider } = task;
    const model = await providers.resolve(
      { provider, model: task.model ?? (provider ? undefined : config.get('agents.builtin.model')) },
      agentRun.usedBy,
    );
    const limits = limitsOf(task, config);
    if (limits.costUsd !== null && !model.price) throw unknownPrice(model);
    const workspace = await realPath(await agentRun.workspace());
    const project = task.cwd === undefined ? undefined : await projectRootOf(workspace);
    // A worktree is gone one day; what is learned in it belongs to the project of the task.
    const named = task.cwd === undefined ? undefined : await realPath(task.cwd).catch(() => workspace);
    const memoryProject = named === undefined ? undefined : await projectRootOf(named);
    const memoryScope = memoryScopeOf(task.memoryScope ?? config.get('memory.scope'), memoryProject);
    const { owner_id: userId } = stored;
    const isTrusted = stored.is_trusted === 1;
    const mayRunCommands = stored.may_command === 1 && (await areAdmins(users, userId));
    const requested = modeFor((await policy.current()).defaultMode, task.securityMode, mayRunCommands);
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
    if (repair) {
      addRepair(state, repair);
      // A crash from here on continues the repair.
      await runs.save(id, { state: JSON.stringify(state) });
    }
    const plan: RunPlan = {
      id,
      taskId: task.id,
      userId,
      model,
      state,
      instructions: instructionsOf(`${agentInstructions}${goalInstructions(task)}`, {
        workspace,
        mode,
        today: runtime.now(),
      }),
      workspace,
      project,
      memoryScope,
      umask: task.umask,
      mode,
      hasTools: true,
      mayRunCommands,
      isTrusted,
      isStreamed: true,
      showsThinking: true,
      isAnnounced: repair !== undefined,
      signal,
    };
    if (!row) await this.#create(id, task.id, userId);
    const store = {
      save: (saved: typeof state) => {
        const { inputTokens, outputTokens } = saved;
        const cost = costOfRun(saved);
        agentRun.spend({ inputTokens, outputTokens, costUsd: cost === undefined ? undefined : Number(cost) });
        return runs.save(id, { state: JSON.stringify(saved) });
      },
      keep: async ({ kind }: { kind: string }) => {
        // It belongs to the project even where the run used all of the memory.
        if (kind === 'done')
          lessons.learnOnCompletion(task.id, { ...toFinishedRun(state), project: memoryProject });
        return undefined;
      },
    };
    return { plan, policy: { ...taskRules(limits), whileWaiting: agentRun.whileWaiting, store, sink } };
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
        daemon: null,
        fence: 0,
        created_at: now,
        updated_at: now,
      }),
    );
  }
}

/** What the task allows, and no more than the settings do. */
function limitsOf({ maxSteps, maxBudget, maxCostUsd, maxTimeMs }: Task, config: Config): RunLimits {
  const steps = config.get('agents.builtin.maxSteps');
  const tokens = config.get('agents.builtin.maxBudget');
  return {
    steps: Math.min(steps, maxSteps ?? steps),
    tokens: maxBudget === undefined ? (tokens ?? null) : Math.min(maxBudget, tokens ?? maxBudget),
    costUsd: maxCostUsd === undefined ? null : Number(maxCostUsd),
    wallMs: maxTimeMs ?? null,
  };
}

const unknownPrice = ({ provider, modelId }: ResolvedModel) =>
  new RunFailure(
    'invalid_input',
    'PRICE_UNKNOWN',
    `The price of ${provider}/${modelId} is not known, so no limit in USD can hold. Limit its tokens instead, or set its price: svc config set models.prices '{"${provider}/${modelId}": {"input": 1, "output": 2}}'`,
  );
