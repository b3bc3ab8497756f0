import type { SendAgenticMessage, Effort, RunEventInput } from '../../../contract/run-events.ts';
import type { Approval } from '../../../contract/approvals.ts';
import type { AgentRun } from '../../agents/agent-adapter.ts';
import type { RunState } from './run-state.ts';

/** Round trips with tool calls of a message that does not say how many. */
export const MESSAGE_ROUND_TRIPS = 5;
/** The step limit of each effort. */
const stepsOf: Record<Effort, number> = { low: 5, medium: 20, high: 50, max: 200 };

export interface RunLimits {
  steps: number;
  /** Tokens of all steps together; null where there is no cap. */
  tokens: number | null;
  /** What all steps together may cost; null where there is no cap. */
  costUsd: number | null;
  /** Time until the run is stopped; null where it has no limit of its own. */
  wallMs: number | null;
}

/** The behaviour of a run, independent of its trigger. */
export interface RunRules {
  /** Whether a call that needs an approval makes the run wait, or return and be resumed later. */
  onApproval: 'wait' | 'return';
  limits: RunLimits;
  /** Whether the last step must be an answer, so that its calls are not run. */
  endsWithAnswer: boolean;
  /** Whether a step is retried after a transient failure of the vendor. */
  retries: boolean;
  /** Wraps the wait for a decision of a person. */
  whileWaiting?: AgentRun['whileWaiting'];
}

export type LoopEnd = { kind: 'done' } | { kind: 'waiting'; approvals: Approval[] };
export type RunOutcome = LoopEnd | { kind: 'failed'; error: unknown };

/** Where a run stores its state and its outcome. */
export interface RunStorage {
  /** Saves the state after each step and call; absent where the run is never resumed. */
  save?: (state: RunState) => Promise<void>;
  /** Takes the text of the current step as it grows, to be saved now and then. */
  savePartial?: (text: string) => void;
  /** Whether `keep` stores the state of a run that is done together with its answer. */
  keepsState?: boolean;
  /** Stores the outcome, failures included; returns the id of the message that holds it. */
  keep: (outcome: RunOutcome) => Promise<string | undefined>;
}

/** What differs between the kinds of runs: rules, storage and the sink of the events. */
export interface RunPolicy extends RunRules {
  store: RunStorage;
  sink: (event: RunEventInput) => void;
}

/** Rules for a message whose sender waits for the answer; approvals are decided in other requests. */
export const messageRules = ({
  hasTools,
  roundTrips = MESSAGE_ROUND_TRIPS,
}: {
  hasTools: boolean;
  roundTrips?: number;
}): RunRules => ({
  onApproval: 'return',
  limits: { steps: hasTools ? roundTrips + 1 : 1, tokens: null, costUsd: null, wallMs: null },
  endsWithAnswer: true,
  retries: false,
});

/** Rules for an agentic message. */
export const agenticRules = (
  {
    effort,
    maxSteps = stepsOf.max,
    maxBudget = null,
  }: Pick<SendAgenticMessage, 'effort' | 'maxSteps'> & {
    maxBudget?: number | null | undefined;
  },
  wallMs: number,
): RunRules => ({
  onApproval: 'wait',
  limits: { steps: Math.min(stepsOf[effort], maxSteps), tokens: maxBudget, costUsd: null, wallMs },
  endsWithAnswer: false,
  retries: true,
});

/** Rules for a task of the queue; the worker limits its time. */
export const taskRules = (limits: RunLimits): RunRules => ({
  onApproval: 'wait',
  limits,
  endsWithAnswer: false,
  retries: true,
});
