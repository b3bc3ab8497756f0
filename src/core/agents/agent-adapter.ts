import type { z } from 'zod';
import type { AgentNeed } from '../../contract/agents.ts';
import type { FailureClass, Task, TaskEvent, TaskResult } from '../../contract/task.ts';

/** What may happen to a task while its agent runs. */
export interface RunningEvent {
  type: 'progress' | 'output' | 'approval_requested' | 'approval_decided';
  message: string;
  data?: TaskEvent['data'];
}

/** What an adapter is told of the task that it runs. */
export interface AgentRun {
  task: Task;
  /** Counted from 1. */
  attempt: number;
  /** The folder in which the agent works, made at the first call; rejects when the task names one that is not there. */
  workspace: () => Promise<string>;
  /** Aborts when the task is cancelled, runs out of time, or the daemon stops. */
  signal: AbortSignal;
  /** Adds an event to the task; never fails and never waits. */
  emit(event: RunningEvent): void;
}

export type AgentResult = Pick<TaskResult, 'output'> &
  Partial<Pick<TaskResult, 'artifacts' | 'usage' | 'cost' | 'model'>>;

export interface AgentHealth {
  healthy: boolean;
  latencyMs?: number;
  message?: string;
}

/** One kind of agent. A new one is a file with this interface and a line in the list of adapters. */
export interface AgentAdapter {
  type: string;
  name: string;
  description: string;
  /** Tags; a task whose labels match more of them gets this agent. */
  capabilities: string[];
  /** `command` where it runs programs with the daemon's rights: only who may run commands can give it work. */
  needs: readonly AgentNeed[];
  /** The shape of its settings, shown to people. */
  configSchema?: z.ZodObject;
  /** False for an agent that only runs where it was named. */
  isChosenByLabels: boolean;
  /** Failures that count against the agent and not against the task; enough of them open its circuit breaker. */
  faults: readonly FailureClass[];
  /** Undefined when it has all that it needs, else what is missing. */
  missingConfig(): string | undefined;
  checkHealth(signal: AbortSignal): Promise<AgentHealth>;
  /** Resolves with the result, or throws an `AgentFailure`; ends soon after the signal aborts. */
  execute(run: AgentRun): Promise<AgentResult>;
}

/** A run that failed, classified. */
export class AgentFailure extends Error {
  override readonly name = 'AgentFailure';
  readonly failure: FailureClass;
  /** A short machine-readable word, such as `exit_1` or `http_502`. */
  readonly code: string;
  readonly retryAfterMs: number | undefined;
  /** Whether another attempt is of no use, whatever the class says. */
  readonly isFinal: boolean;
  /** What the agent had said until then. */
  readonly output: string;
  constructor(
    failure: FailureClass,
    code: string,
    message: string,
    options: { retryAfterMs?: number | undefined; output?: string; cause?: unknown; isFinal?: boolean } = {},
  ) {
    super(message, { cause: options.cause });
    this.failure = failure;
    this.code = code;
    this.retryAfterMs = options.retryAfterMs;
    this.output = options.output ?? '';
    this.isFinal = options.isFinal ?? false;
  }
}
