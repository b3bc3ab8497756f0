import type { RunEventInput } from '../../../contract/run-events.ts';
import type { AgentAnswer, AgentRun, RepairOrder } from '../../agents/agent-adapter.ts';
import type { ApprovalService } from '../../approvals/approval-service.ts';
import type { Config } from '../../config/config.ts';
import type { Runtime } from '../../runtime.ts';
import { timeLimitOf } from '../../tasks/time-limit.ts';
import type { ConversationService } from '../conversation-service.ts';
import type { AgentRunStore } from './agent-run-store.ts';
import type { AgenticRuns } from './agentic-runs.ts';
import type { Attempt, PreparedRun } from './attempt.ts';
import { resultOf } from './run-end.ts';
import { RunEventRecord } from './run-event-record.ts';
import { isShutdown, toAgentFailure, toErrorEvent, toRunFailure, toStopFailure } from './run-failure.ts';
import type { RunFeeds } from './run-feeds.ts';
import type { RunService } from './run-service.ts';
import type { RunTimers } from './run-timers.ts';
import type { TaskRuns } from './task-runs.ts';

export interface AgentWorkDeps {
  config: Config;
  runs: AgentRunStore;
  conversations: ConversationService;
  approvals: ApprovalService;
  feeds: RunFeeds;
  timers: RunTimers;
  runService: RunService;
  agenticRuns: AgenticRuns;
  taskRuns: TaskRuns;
  runtime: Runtime;
}

/** Executes tasks of the built-in agent: those of agentic messages and all others. */
export class AgentWork {
  readonly #deps: AgentWorkDeps;
  constructor(deps: AgentWorkDeps) {
    this.#deps = deps;
  }

  /** Starts the run or resumes it; with a repair, a run that has answered takes one more turn. */
  async execute(agentRun: AgentRun, repair?: RepairOrder): Promise<AgentAnswer> {
    const { runs, runtime, conversations, agenticRuns, taskRuns, approvals, feeds, timers } = this.#deps;
    const row = await runs.findByTask(agentRun.task.id);
    const agentic = row?.kind === 'agentic' ? row : undefined;
    const conversationId = agentic?.conversation_id;
    const id = row?.id ?? runtime.newId('run');
    const record = new RunEventRecord((event) => agentRun.emit(event));
    const timer = agentic && timers.take(id);
    const signals = [agentRun.signal, ...(timer ? [timer.signal] : [])];
    const sink = (event: RunEventInput) => {
      feeds.emit(id, event);
      record.add(event);
    };
    if (agentic) feeds.take(id);
    if (conversationId) feeds.begin(id, conversationId);
    const attempt: Attempt = { agentRun, id, sink, signal: AbortSignal.any(signals) };
    let prepared: PreparedRun | undefined;
    try {
      if (agentic && conversationId)
        return await conversations.inTurn(conversationId, async () =>
          this.#run((prepared = await agenticRuns.prepare(attempt, agentic))),
        );
      return await this.#run((prepared = await taskRuns.prepare(attempt, row, repair)));
    } catch (error) {
      const stopped = signals.find(({ aborted }) => aborted);
      const failure = stopped
        ? toStopFailure(stopped.reason, timeLimitOf(agentRun.task, this.#deps.config).ms)
        : toRunFailure(error);
      sink(toErrorEvent(failure));
      // Its approvals are void, unless the next start of the daemon resumes the run.
      if (!isShutdown(agentRun.signal)) {
        await approvals.expireForRun(agentRun.task.id);
        if (agentic) await agenticRuns.storeFailure(agentic, failure);
      }
      // What it said before is no answer.
      const result = prepared && { ...resultOf(prepared.plan.state, prepared.plan.model), output: '' };
      throw toAgentFailure(failure, { isFinal: agentic !== undefined, result });
    } finally {
      timer?.stop();
      record.flush();
      feeds.close(id);
    }
  }

  async #run({ plan, policy }: PreparedRun): Promise<AgentAnswer> {
    const outcome = await this.#deps.runService.run(plan, policy);
    if (outcome.kind === 'failed') throw outcome.error;
    const { repairs } = plan.state;
    return { ...resultOf(plan.state, plan.model), ...(repairs !== undefined && { repairs }) };
  }
}
