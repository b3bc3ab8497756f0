import type { SecurityMode } from '../../../contract/security-mode.ts';
import type { Effort } from '../../../contract/run-events.ts';
import type { PolicyService } from '../../policy/policy-service.ts';
import type { ResolvedModel } from '../../providers/resolved-model.ts';
import type { ToolRegistry } from '../../tools/tool-registry.ts';
import { offeredTools } from './offered-tools.ts';
import type { MemoryScope } from '../../memory/memory-scope.ts';
import { ProjectInstructions } from './project-instructions.ts';
import type { RunPolicy } from './run-policy.ts';
import type { RunState } from './run-state.ts';
import type { LoopOrder } from './tool-loop.ts';

/** A run that can be started or resumed: its user, workspace, model and state. */
export interface RunPlan {
  id: string;
  taskId?: string;
  conversationId?: string;
  userId: string;
  model: ResolvedModel;
  state: RunState;
  instructions: string;
  workspace: string;
  /** For new files; the one that the daemon was started with unless set. */
  umask?: number | undefined;
  /** The directory of the project, whose instructions for agents hold; undefined where no person named the workspace. */
  project: string | undefined;
  memoryScope: MemoryScope;
  mode: SecurityMode;
  hasTools: boolean;
  mayRunCommands: boolean;
  /** False where untrusted text started it. */
  isTrusted: boolean;
  isStreamed: boolean;
  showsThinking: boolean;
  temperature?: number | undefined;
  effort?: Effort | undefined;
  /** Whether its `session:start` event was sent before. */
  isAnnounced: boolean;
  signal: AbortSignal;
}

export interface RunOrderDeps {
  registry: ToolRegistry;
  policy: PolicyService;
}

/** Creates the order that the loop executes from a plan and its policy; answers which files of the project it obeys. */
export async function createOrder(
  { registry, policy }: RunOrderDeps,
  plan: RunPlan,
  { store, sink, ...rules }: RunPolicy,
): Promise<{ order: LoopOrder; instructionFiles: string[] }> {
  const { id, taskId, conversationId, userId, workspace, mode, mayRunCommands, isTrusted, signal } = plan;
  const { model, state, instructions, isStreamed, showsThinking, temperature, effort } = plan;
  const project =
    plan.project !== undefined && plan.hasTools
      ? await ProjectInstructions.read(workspace, plan.project, state.touched)
      : undefined;
  const withProject = () => [instructions, project?.text].filter(Boolean).join('\n\n');
  const order: LoopOrder = {
    ...rules,
    model,
    state,
    instructions: withProject(),
    isStreamed,
    showsThinking,
    temperature,
    effort,
    tools: plan.hasTools ? await offeredTools(registry, policy, mode) : [],
    run: {
      // The same in every attempt, so that a restart finds the approvals that were given before.
      id: taskId ?? id,
      // The sender of a message can decide on approvals; for a task that depends on its mode.
      canAsk: taskId === undefined || mode !== 'full',
      context: {
        workspace,
        userId,
        mode,
        mayRunCommands,
        isTrusted,
        conversationId,
        taskId,
        memoryScope: plan.memoryScope,
        umask: plan.umask,
        signal,
      },
    },
    emit: sink,
    ...(store.save && { save: store.save, savesEnd: !store.keepsState }),
    ...(store.savePartial && { savePartial: store.savePartial }),
  };
  if (project)
    order.touch = async (paths) => {
      if (!(await project.touch(paths))) return;
      order.instructions = withProject();
      state.touched = [...(state.touched ?? []), ...paths];
    };
  return { order, instructionFiles: project?.files ?? [] };
}
