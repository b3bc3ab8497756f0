import { refusedCallsOf } from './refused-calls.ts';
import { completeEvent } from './run-end.ts';
import { createOrder, type RunOrderDeps, type RunPlan } from './run-order.ts';
import type { RunOutcome, RunPolicy } from './run-policy.ts';
import { startEvent } from './run-start.ts';
import type { ToolLoop } from './tool-loop.ts';

export interface RunServiceDeps extends RunOrderDeps {
  loop: ToolLoop;
}

/** Runs models with tools, for every kind of run. */
export class RunService {
  readonly #deps: RunServiceDeps;
  constructor(deps: RunServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Runs the plan until it finishes or returns for an approval, and stores the outcome. A failure is an outcome too,
   * which the caller reports; throws only when the outcome cannot be stored.
   */
  async run(plan: RunPlan, policy: RunPolicy): Promise<RunOutcome> {
    const { sink, store } = policy;
    const outcome = await this.#work(plan, policy);
    const messageId = await store.keep(outcome);
    if (outcome.kind !== 'done') return outcome;
    const refusedCalls = refusedCallsOf(plan.state);
    if (plan.taskId !== undefined)
      sink({ type: 'summary', data: { summary: plan.state.text, ...(refusedCalls && { refusedCalls }) } });
    sink(completeEvent(plan.state, plan.model));
    if (messageId !== undefined) sink({ type: 'message_saved', data: { id: messageId } });
    return outcome;
  }

  async #work(plan: RunPlan, policy: RunPolicy): Promise<RunOutcome> {
    try {
      const { order, instructionFiles } = await createOrder(this.#deps, plan, policy);
      if (!plan.isAnnounced) policy.sink(startEvent(plan, policy.limits, instructionFiles));
      return await this.#deps.loop.run(order);
    } catch (error) {
      return { kind: 'failed', error };
    }
  }
}
