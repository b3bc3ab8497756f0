import { ApiError, type Client } from '../../../contract/client.ts';
import type { TaskEvent } from '../../../contract/task.ts';
import { askedCall, decidedApproval } from '../approvals/asked-call.ts';
import { type Decision, isLongerThanScreen, questionAbout } from '../approvals/decision-words.ts';
import { type AskedCall, formatCall } from '../approvals/format-call.ts';
import { canAsk } from '../../input/ask.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { callAttention } from '../../output/call-attention.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { askDecision, type DecisionQuestion } from './ask-decision.ts';
import type { OnApproval } from './on-approval.ts';
import type { RunProgress } from './run-progress.ts';

const MOST = 500;

export interface RunApprovals {
  event(event: TaskEvent): void;
  /** Rejects when an approval is needed but cannot be given here, or when a decision cannot be sent. */
  failed: Promise<never>;
  /** Milliseconds since the person decided, or since the start. */
  readonly idleMs: number;
  /** Aborts the open prompt. */
  close(): void;
}

/** Handles the approvals that a task requests, one at a time, as --on-approval says. */
export function runApprovals(
  cli: Cli,
  { taskId, progress, onApproval }: { taskId: string; progress: RunProgress; onApproval?: OnApproval },
): RunApprovals {
  const { output } = cli;
  const { client } = cli.connect();
  const way = onApproval ?? (canAsk(cli) ? 'wait' : 'fail');
  const failed = Promise.withResolvers<never>();
  // Nothing awaits this once the task has finished.
  failed.promise.catch(() => undefined);
  /** One per approval that is being handled or queued. */
  const open = new Map<string, AbortController>();
  let before = Promise.resolve();

  const send = async (id: string, decision: Decision) => {
    try {
      await client.approvals.decide({ params: { id }, body: decision });
    } catch (error) {
      if (!(error instanceof ApiError) || (error.status !== 400 && error.status !== 404)) throw error;
      progress.say(escapeLine(error.message));
    }
  };
  const show = (call: AskedCall) => {
    const { paintError: paint, errorStream } = output;
    const width = errorStream.columns || Number.POSITIVE_INFINITY;
    const text = formatCall(call, { paint, width, now: Date.now() }).trimEnd();
    output.note(text);
    return text.split('\n').length;
  };
  /** When the person was last seen: at the start, and at each decision. */
  let seenAt = performance.now();
  const ask = async (question: DecisionQuestion, why: string, signal: AbortSignal) => {
    const withdraw = callAttention(cli, why, performance.now() - seenAt);
    try {
      return await askDecision(output, question, signal);
    } finally {
      withdraw();
      seenAt = performance.now();
    }
  };
  const handle = async (asked: AskedCall, signal: AbortSignal) => {
    if (signal.aborted) return;
    const call = await openCall(client, asked);
    if (!call || signal.aborted) return;
    if (way === 'deny') return send(call.id, { decision: 'deny' });
    progress.pause();
    const rows = show(call);
    const tool = visibleLine(call.toolName);
    if (way === 'fail')
      throw new CliError(
        exitCodes.approvalNeeded,
        `${tool} needs approval, and there is no terminal to prompt on; the task is waiting.`,
        { next: `Allow it: svc approvals allow ${call.id}   Then: svc tasks logs -f ${taskId}` },
      );
    const question = questionAbout(call.toolName, { rows, isLong: isLongerThanScreen(rows, output) });
    const decision = canAsk(cli) ? await ask(question, `${tool} needs approval`, signal) : undefined;
    progress.resume();
    if (decision) return send(call.id, decision);
    if (!signal.aborted) progress.say(`waiting for a decision: svc approvals allow ${call.id}`);
  };
  return {
    failed: failed.promise,
    get idleMs() {
      return performance.now() - seenAt;
    },
    event(event) {
      const call = askedCall(event);
      if (call) {
        const taken = new AbortController();
        open.set(call.id, taken);
        before = before.then(() => handle(call, taken.signal)).catch(failed.reject);
      }
      open.get(decidedApproval(event) ?? '')?.abort();
    },
    close() {
      for (const taken of open.values()) taken.abort();
    },
  };
}

/** The current state of the approval; undefined once decided. Without the right to list approvals, the event counts. */
async function openCall(client: Client, call: AskedCall): Promise<AskedCall | undefined> {
  try {
    const { approvals } = await client.approvals.list({ query: { status: 'all', limit: MOST } });
    const found = approvals.find(({ id }) => id === call.id) ?? call;
    return (found.status ?? 'pending') === 'pending' ? found : undefined;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 401 || error.status === 403)) return call;
    throw error;
  }
}
