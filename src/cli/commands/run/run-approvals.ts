import { ApiError, type Client } from '../../../contract/client.ts';
import type { TaskEvent } from '../../../contract/task.ts';
import { askedCall, decidedApproval } from '../approvals/asked-call.ts';
import { type Decision, isLongerThanScreen, questionAbout } from '../approvals/decision-words.ts';
import { callText, editCall } from '../approvals/edit-call.ts';
import type { AskedCall } from '../approvals/format-call.ts';
import { canAsk } from '../../input/ask.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { callAttention } from '../../output/call-attention.ts';
import { formatLeft } from '../../output/duration.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { askDecision } from './ask-decision.ts';
import type { OnApproval } from './on-approval.ts';
import type { RunProgress } from './run-progress.ts';

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
  const connection = cli.connect();
  const { client } = connection;
  const way = onApproval ?? (canAsk(cli) ? 'wait' : 'fail');
  const failed = Promise.withResolvers<never>();
  // Nothing awaits this once the task has finished.
  failed.promise.catch(() => undefined);
  /** One per approval that is being handled or queued. */
  const open = new Map<string, AbortController>();
  let before = Promise.resolve();

  const send = async (id: string, decision: Decision) => {
    try {
      await connection.decide(id, decision);
    } catch (error) {
      if (!(error instanceof ApiError) || (error.status !== 400 && error.status !== 404)) throw error;
      progress.say(escapeLine(error.message));
    }
  };
  const show = (call: AskedCall) => {
    const text = callText(cli, call);
    output.note(text);
    return text.split('\n').length;
  };
  /** When the person was last seen: at the start, and at each decision. */
  let seenAt = performance.now();
  /** Asks the person, whose attention is called while they are away. */
  const attended = async <T>(why: string, ask: () => Promise<T>): Promise<T> => {
    const withdraw = callAttention(cli, why, performance.now() - seenAt);
    try {
      return await ask();
    } finally {
      withdraw();
      seenAt = performance.now();
    }
  };
  /** The decision of the person, who may change the arguments first; undefined if the prompt was closed. */
  const decideHere = async (call: AskedCall, signal: AbortSignal): Promise<Decision | undefined> => {
    for (;;) {
      const rows = show(call);
      const question = questionAbout(call, { rows, isLong: isLongerThanScreen(rows, output) });
      const answer = await askDecision(output, question, signal);
      if (answer !== 'edit') return answer;
      const edited = await editCall(cli, call, (next) => askDecision(output, next, signal));
      if (edited || signal.aborted) return edited;
    }
  };
  const handle = async (asked: AskedCall, signal: AbortSignal) => {
    if (signal.aborted) return;
    const call = await openCall(client, asked);
    if (!call || signal.aborted) return;
    if (way === 'deny') return send(call.id, { decision: 'deny' });
    progress.pause();
    const tool = visibleLine(call.toolName);
    const left = formatLeft(call.expiresAt, Date.now());
    if (way === 'fail' || !canAsk(cli)) show(call);
    if (way === 'fail')
      throw new CliError(
        exitCodes.approvalNeeded,
        `${tool} needs approval, and there is no terminal to prompt on; the task is waiting (${left} left).`,
        { next: `Allow it: svc approvals allow ${call.id}   Then: svc tasks logs -f ${taskId}` },
      );
    const decision = canAsk(cli)
      ? await attended(`${tool} needs approval`, () => decideHere(call, signal))
      : undefined;
    progress.resume();
    if (decision) return send(call.id, decision);
    if (!signal.aborted)
      progress.say(`waiting for a decision: svc approvals allow ${call.id} (${left} left)`);
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

/** The current state of the approval; undefined once decided. Without the right to read it, the event counts. */
async function openCall(client: Client, call: AskedCall): Promise<AskedCall | undefined> {
  try {
    const { approval } = await client.approvals.get({ params: { id: call.id } });
    return approval.status === 'pending' ? approval : undefined;
  } catch (error) {
    if (error instanceof ApiError && [401, 403, 404].includes(error.status)) return call;
    throw error;
  }
}
