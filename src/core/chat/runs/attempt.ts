import type { RunEventInput } from '../../../contract/run-events.ts';
import type { AgentRun } from '../../agents/agent-adapter.ts';
import type { AgentRunRow } from '../../storage/rows/agent-runs.ts';
import type { RunPlan } from './run-order.ts';
import type { RunPolicy } from './run-policy.ts';
import type { RunState } from './run-state.ts';

/** An attempt of the built-in agent at a task. */
export interface Attempt {
  agentRun: AgentRun;
  /** The run, the same in every attempt. */
  id: string;
  sink: (event: RunEventInput) => void;
  /** Aborts when the attempt is stopped or the run is out of time. */
  signal: AbortSignal;
}

/** A run with everything that it needs. */
export interface PreparedRun {
  plan: RunPlan;
  policy: RunPolicy;
}

/** How far an earlier attempt came; undefined where there was none. */
export const storedState = (row: AgentRunRow | undefined): RunState | undefined =>
  row?.state ? (JSON.parse(row.state) as RunState) : undefined;
