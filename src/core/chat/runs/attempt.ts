import type { RunEventInput } from '../../../contract/run-events.ts';
import type { AgentRun } from '../../agents/agent-adapter.ts';
import type { AgentRunRow } from '../../storage/rows/agent-runs.ts';
import type { RunPlan } from './run-order.ts';
import type { RunPolicy } from './run-policy.ts';
import type { RunState } from './run-state.ts';

/** An attempt of the built-in agent at a task. */
export interface Attempt {
  agentRun: AgentRun;
  /** The id of the run, the same in every attempt. */
  id: string;
  sink: (event: RunEventInput) => void;
  /** Aborts when the attempt is stopped or the run is out of time. */
  signal: AbortSignal;
}

/** A run that is ready for the `RunService`. */
export interface PreparedRun {
  plan: RunPlan;
  policy: RunPolicy;
}

/** The state that an earlier attempt saved; undefined where there was none. */
export function storedState(row: AgentRunRow | undefined): RunState | undefined {
  if (!row?.state) return undefined;
  // Earlier versions saved `isTainted` as `heardStrangers`.
  const { heardStrangers, ...state } = JSON.parse(row.state) as RunState & { heardStrangers?: boolean };
  return heardStrangers === undefined ? state : { ...state, isTainted: heardStrangers };
}
