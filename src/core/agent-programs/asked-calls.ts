import type { Approval } from '../../contract/approvals.ts';
import type { RunEventInput } from '../../contract/run-events.ts';
import type { PermissionAnswer, PermissionQuestion } from '../agents/drivers/driver.ts';
import type { ApprovalService } from '../approvals/approval-service.ts';
import type { ToolGate, ToolRun } from '../tools/tool-gate.ts';
import { type AskedCall, askedCall, type AskingAgent } from './asked-call.ts';
import type { JointWait } from './joint-wait.ts';
import type { RunReporter } from './run-reporter.ts';

export interface AskedCallsDeps {
  gate: Pick<ToolGate, 'call'>;
  approvals: Pick<ApprovalService, 'waitForDecision' | 'show'>;
  agent: string;
  session: () => string;
  sandbox?: AskingAgent['sandbox'];
  run: ToolRun;
  reporter: RunReporter;
  wait: JointWait;
  sink: (event: RunEventInput) => void;
  /** Called for a call that would have changed something and was not allowed. */
  onRefused: (call: AskedCall, reason: string) => void;
  onAllowed: (call: AskedCall) => void;
  reportBug: (error: unknown) => void;
}

/** How long an agent that asks before it says the arguments of the call has to say them. */
const DESCRIPTION_MS = 5000;

/** Answers the questions of an agent: each call passes the gate of svc, which asks a person where a person has to decide. */
export class AskedCalls {
  readonly #deps: AskedCallsDeps;
  /** Calls that are allowed and have not ended: their results are for the audit log. */
  readonly #running = new Set<Promise<void>>();

  constructor(deps: AskedCallsDeps) {
    this.#deps = deps;
  }

  ask(question: PermissionQuestion): Promise<PermissionAnswer> {
    const { reportBug, run } = this.#deps;
    const answered = Promise.withResolvers<PermissionAnswer>();
    const decided = this.#decide(question, answered.resolve)
      .catch((error: unknown) => {
        if (!run.context.signal.aborted) reportBug(error);
        // After an answer this changes nothing.
        answered.resolve(
          run.context.signal.aborted
            ? { decision: 'cancelled' }
            : { decision: 'deny', reason: 'The call could not be checked, so it was not allowed' },
        );
      })
      .finally(() => this.#running.delete(decided));
    this.#running.add(decided);
    return answered.promise;
  }

  /** Resolves once the results of all calls are in the audit log. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #decide(asking: PermissionQuestion, answer: (answer: PermissionAnswer) => void): Promise<void> {
    const question = await describedQuestion(asking);
    const { gate, agent, session, sandbox, run, reporter, onRefused, onAllowed } = this.#deps;
    const { id } = question.call;
    let isAllowed = false;
    const asked = askedCall(question, {
      agent,
      session: session(),
      workspace: run.context.workspace,
      ...(sandbox && { sandbox }),
      run: () => {
        isAllowed = true;
        onAllowed(asked);
        answer({ decision: 'allow' });
        return reporter.endOf(id, run.context.signal);
      },
    });
    reporter.announce(question.call, asked.name);
    for (let approvalId: string | undefined; ;) {
      const result = await gate.call(run, { id, ...asked, approvalId });
      if (result.kind === 'waiting') {
        approvalId = await this.#waitFor(id, result.approval, approvalId);
        continue;
      }
      if (isAllowed) return;
      const { content, refused } = result.result;
      if (refused) onRefused(asked, content);
      reporter.refuse(id);
      return answer({ decision: 'deny', reason: content });
    }
  }

  async #waitFor(callId: string, approval: Approval, known: string | undefined): Promise<string> {
    const { approvals, wait, sink, run } = this.#deps;
    if (known !== approval.id) sink({ type: 'approval:requested', data: { toolCallId: callId, approval } });
    await wait.during(async () => {
      const decided = approvals.show(await approvals.waitForDecision(approval.id, run.context.signal));
      sink({ type: 'approval:decided', data: { toolCallId: callId, approval: decided } });
    });
    return approval.id;
  }
}

/** The question with its arguments, or as it is where they do not come: then the call is refused. */
async function describedQuestion(question: PermissionQuestion): Promise<PermissionQuestion> {
  if (!question.later) return question;
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<PermissionQuestion>((resolve) => {
    timer = setTimeout(() => resolve(question), DESCRIPTION_MS);
  });
  try {
    return await Promise.race([question.later, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
