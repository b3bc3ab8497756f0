import type { SecurityMode } from '../../../contract/security-mode.ts';
import type { Effort } from '../../../contract/run-events.ts';
import type { PolicyService } from '../../policy/policy-service.ts';
import type { ResolvedModel } from '../../providers/resolved-model.ts';
import type { ToolRegistry } from '../../tools/tool-registry.ts';
import { offeredTools } from './offered-tools.ts';
import type { RunPolicy } from './run-policy.ts';
import type { RunState } from './run-state.ts';
import type { LoopOrder } from './tool-loop.ts';

/** A run that is ready to start or to be resumed: who it works for, where, with what model and how far it is. */
export interface RunPlan {
  id: string;
  taskId?: string;
  conversationId?: string;
  userId: string;
  model: ResolvedModel;
  state: RunState;
  instructions: string;
  workspace: string;
  mode: SecurityMode;
  hasTools: boolean;
  mayRunCommands: boolean;
  /** False where untrusted text started it. */
  isTrusted: boolean;
  isStreamed: boolean;
  showsThinking: boolean;
  temperature?: number | undefined;
  effort?: Effort | undefined;
  /** Whether its readers know already that it started. */
  isAnnounced: boolean;
  signal: AbortSignal;
}

export interface RunOrderDeps {
  registry: ToolRegistry;
  policy: PolicyService;
}

/** What the loop needs to carry out a plan under a policy. */
export async function createOrder(
  { registry, policy }: RunOrderDeps,
  plan: RunPlan,
  { store, sink, ...rules }: RunPolicy,
): Promise<LoopOrder> {
  const { id, taskId, conversationId, userId, workspace, mode, mayRunCommands, isTrusted, signal } = plan;
  const { model, state, instructions, isStreamed, showsThinking, temperature, effort } = plan;
  return {
    ...rules,
    model,
    state,
    instructions,
    isStreamed,
    showsThinking,
    temperature,
    effort,
    tools: plan.hasTools ? await offeredTools(registry, policy, mode) : [],
    run: {
      // The same in every attempt: an approval that was given before a restart is found again.
      id: taskId ?? id,
      // A message has a sender who can be asked; a task has somebody only where its mode says so.
      canAsk: taskId === undefined || mode !== 'full',
      context: {
        workspace,
        userId,
        mode,
        mayRunCommands,
        isTrusted,
        conversationId,
        taskId,
        signal,
      },
    },
    emit: sink,
    ...(store.save && { save: store.save }),
  };
}
