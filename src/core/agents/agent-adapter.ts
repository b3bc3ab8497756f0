import type { z } from 'zod';
import type { Agent, AgentDetail, AgentNeed, AgentState } from '../../contract/agents.ts';
import type { TaskEnvironment } from '../../contract/task-environment.ts';
import type { OutputName, OutputPiece } from '../../contract/task-output.ts';
import type { FailureClass, Task, TaskEvent, TaskResult } from '../../contract/task.ts';
import type { Verification } from '../../contract/verification.ts';
import type { Exit } from '../processes/start-program.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { ReportedUsage } from '../usage/run-usage.ts';
import type { UsedBy } from '../usage/usage-record.ts';

/** An event that an agent adds to its running task. */
export interface RunningEvent {
  type:
    | 'progress'
    | 'output'
    | 'approval_requested'
    | 'approval_decided'
    | 'verification_started'
    | 'verification_finished';
  message: string;
  data?: TaskEvent['data'];
}

/** Takes what a program prints. */
export interface OutputSink {
  /** Resolves once the bytes are stored; rejects with an `AgentFailure` at the limit, or where the disk refuses them. */
  write(name: OutputName, bytes: Uint8Array): Promise<void>;
}

/** One attempt at a task, as the adapter gets it. */
export interface AgentRun {
  task: Task;
  /** Starts at 1, and again when the task is retried from the dead-letter queue. */
  attempt: number;
  /** Identifies the run: no two in the life of the task have the same. Ends with a slash and the number of the attempt. */
  runKey: string;
  /** The working directory, created at the first call; rejects when the task names one that does not exist. */
  workspace: () => Promise<string>;
  /** The environment variables that the task's creator gives to its command; secrets may be among them. */
  environment: () => TaskEnvironment;
  /** There where telemetry is exported. */
  telemetry?: Telemetry | undefined;
  /** Stores what the agent's program prints, byte for byte; call it once. */
  openOutput: () => Promise<OutputSink>;
  /** Aborts when the task is cancelled, runs out of time, or the daemon stops. */
  signal: AbortSignal;
  /** For whom and what the run uses models. */
  usedBy: UsedBy;
  /**
   * Takes what the run has used so far, in all; it is stopped where a budget of the day is used up. A total that is lower
   * than the one before counts from the start, as that of another process does.
   */
  spend: (used: ReportedUsage) => void;
  /** Adds an event to the task; never throws and never blocks. */
  emit(event: RunningEvent): void;
  /** Shows stored output to those who follow the task now, without an event; never throws and never blocks. */
  publishOutput(piece: OutputPiece): void;
  /**
   * Waits for a person: meanwhile the time limit of the run stands still, and other tasks use its slot. Resolves once the
   * run has a slot again; rejects when the run is stopped.
   */
  whileWaiting: <T>(decision: () => Promise<T>) => Promise<T>;
}

/** What a run came to; `duration` where it is not the time that the run itself worked. */
export type AgentResult = Pick<TaskResult, 'output'> & Partial<Omit<TaskResult, 'output' | 'success'>>;

/** What an agent answered. */
export interface AgentAnswer extends AgentResult {
  /** How often the run has repaired what it did and said, in earlier attempts too. */
  repairs?: Partial<Record<RepairOrder['kind'], number>>;
}

/** What an agent that has answered has to repair. */
export interface RepairOrder {
  /** The work, or the form of the answer. */
  kind: 'work' | 'output';
  /** The next message to the agent. */
  message: string;
  /** Whether the message may contain untrusted text. */
  isTainted: boolean;
}

/** A shell command that checks the work of a run. */
export interface CheckOrder {
  command: string;
  workspace: string;
  umask?: number | undefined;
  /** Marks its processes, as `ProgramOptions` does. */
  mark: string;
  signal: AbortSignal;
  /** Whether it runs in a sandbox or not at all. */
  needsSandbox?: boolean;
  onOutput(chunk: Buffer): void;
}

export interface CheckEnd {
  exit: Exit;
  environment: Verification['environment'];
}

export interface AgentHealth {
  healthy: boolean;
  latencyMs?: number;
  message?: string;
}

/** Why an agent that is a program of its own cannot run. */
export interface AgentProblem {
  state: AgentState;
  /** What is wrong and what to do about it, for people. */
  message: string;
  /** What to do about it alone. */
  next: string;
}

/** One kind of agent. A new one implements this interface and gets a line in the list of adapters. */
export interface AgentAdapter {
  type: string;
  name: string;
  description: string;
  /** Tags; a task whose labels match more of them gets this agent. */
  capabilities: string[];
  /** `command` where it runs programs with the daemon's rights: only callers with command rights may use it. */
  needs: readonly AgentNeed[];
  /** The shape of its settings, shown to people. */
  configSchema?: z.ZodObject;
  /** False for an agent that only takes tasks that name it. */
  isChosenByLabels: boolean;
  /** Failure classes that count against the agent and open its circuit breaker. */
  faults: readonly FailureClass[];
  /** Whether it obeys the model and the limits that a task names. */
  obeysLimits?: boolean;
  /** The protocol of an agent that is a program of its own, such as `acp`. */
  driver?: string;
  /** Looks again for what is installed, and who is logged in. */
  look?(): Promise<void>;
  /** The same, and tries a login again that was refused. */
  reconsider?(): Promise<void>;
  /** What people want to know of such an agent; current after a health check. */
  describe?(): Pick<Agent, 'driver' | 'program' | 'version' | 'login' | 'state' | 'hint' | 'programSetting'>;
  /** More of it, and of its settings. */
  detail?(): Partial<AgentDetail>;
  /** Why such an agent cannot run; undefined while it can. */
  problem?(): AgentProblem | undefined;
  /** Milliseconds until its usage limit is reset, 0 if it takes work. */
  closedForMs?(): number;
  /** Whether its tasks work in a Git worktree of their own where their directory is in a repository. */
  worksInWorktree?: boolean;
  /** Whether each call of a model that it makes is counted on its own, so that its totals are not counted again. */
  countsCalls?: boolean;
  /** Whether it has other agents do the task, which check their work themselves. */
  isCoordinator?: boolean;
  /** The missing setting, as the end of a sentence; undefined when the agent is configured. */
  missingConfig(): string | undefined;
  checkHealth(signal: AbortSignal): Promise<AgentHealth>;
  /** Resolves with the result, or throws an `AgentFailure`; ends soon after the signal aborts. */
  execute(run: AgentRun): Promise<AgentAnswer>;
  /** Continues a run that has answered, with everything it did and said before; absent where the agent cannot. */
  repair?(run: AgentRun, order: RepairOrder): Promise<AgentAnswer>;
  /** Runs a check where the commands of the agent itself run; absent where these have no environment of their own. */
  check?(run: AgentRun, order: CheckOrder): Promise<CheckEnd>;
}

/** A run that failed, classified. */
export class AgentFailure extends Error {
  override readonly name = 'AgentFailure';
  readonly failure: FailureClass;
  /** A short machine-readable code, such as `exit_1` or `http_502`. */
  readonly code: string;
  readonly retryAfterMs: number | undefined;
  /** Whether the task must not be retried, even if the class is retryable. */
  readonly isFinal: boolean;
  /** Whether a service was away or overloaded: the attempt then does not count, because the task had no part in it. */
  readonly isOutage: boolean;
  /** When the usage limit that ended the run is reset, in epoch milliseconds: until then the agent takes no work. */
  readonly resetsAt: number | undefined;
  /** Whether the agent cannot work before a person did something, such as to log in: the run did not count. */
  readonly needsPerson: boolean;
  /** What the run came to until the failure. */
  readonly result: AgentResult;
  constructor(
    failure: FailureClass,
    code: string,
    message: string,
    options: {
      retryAfterMs?: number | undefined;
      output?: string;
      result?: AgentResult | undefined;
      cause?: unknown;
      isFinal?: boolean;
      isOutage?: boolean;
      resetsAt?: number | undefined;
      needsPerson?: boolean;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.failure = failure;
    this.code = code;
    this.retryAfterMs = options.retryAfterMs;
    this.result = options.result ?? { output: options.output ?? '' };
    this.isFinal = options.isFinal ?? false;
    this.isOutage = options.isOutage ?? false;
    this.resetsAt = options.resetsAt;
    this.needsPerson = options.needsPerson ?? false;
  }
}
