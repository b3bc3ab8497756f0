import type { SendAgenticMessage, Effort, RunEventInput } from '../../../contract/run-events.ts';
import type { Approval } from '../../../contract/approvals.ts';
import type { RunState } from './run-state.ts';

/** Answers of the model with calls that a message gets, before the one that has to be the last. */
const MESSAGE_ROUND_TRIPS = 5;
/** How many steps each effort is good for. */
const stepsOf: Record<Effort, number> = { low: 5, medium: 20, high: 50, max: 200 };

export interface RunLimits {
  steps: number;
  /** Tokens of all steps together; null where there is no cap. */
  tokens: number | null;
  /** Time until it is stopped; null where it has no limit of its own. */
  wallMs: number | null;
}

/** How a run behaves, whoever started it. */
export interface RunRules {
  /** What happens with a call that needs a decision: the run waits for it, or it returns and is resumed later. */
  onApproval: 'wait' | 'return';
  limits: RunLimits;
  /** Whether the last step has to be an answer: its calls are not run. */
  endsWithAnswer: boolean;
  /** Whether a step is tried again when the vendor cannot answer now. */
  retries: boolean;
}

export type LoopEnd = { kind: 'done' } | { kind: 'waiting'; approvals: Approval[] };
export type RunOutcome = LoopEnd | { kind: 'failed'; error: unknown };

/** What is kept of a run, and where. */
export interface RunStorage {
  /** Keeps how far the run is after each step and call; left out where it is not resumed. */
  save?: (state: RunState) => Promise<void>;
  /** Keeps what the run came to, failures included; answers the id of the message that holds it. */
  keep: (outcome: RunOutcome) => Promise<string | undefined>;
}

/** Everything that differs between the kinds of runs: how they behave, what is kept, where their events go. */
export interface RunPolicy extends RunRules {
  store: RunStorage;
  sink: (event: RunEventInput) => void;
}

/** A message whose sender waits for the answer: approvals are decided apart from the request. */
export const messageRules = ({ hasTools }: { hasTools: boolean }): RunRules => ({
  onApproval: 'return',
  limits: { steps: hasTools ? MESSAGE_ROUND_TRIPS + 1 : 1, tokens: null, wallMs: null },
  endsWithAnswer: true,
  retries: false,
});

/** A message that the model works on by itself. */
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
  limits: { steps: Math.min(stepsOf[effort], maxSteps), tokens: maxBudget, wallMs },
  endsWithAnswer: false,
  retries: true,
});

/** A task of the queue, whose time the worker limits. */
export const taskRules = ({ steps, tokens }: Pick<RunLimits, 'steps' | 'tokens'>): RunRules => ({
  onApproval: 'wait',
  limits: { steps, tokens, wallMs: null },
  endsWithAnswer: false,
  retries: true,
});
