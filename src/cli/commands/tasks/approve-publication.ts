import type { Approval } from '../../../contract/approvals.ts';
import type { WaitingPublication } from '../../../contract/changes.ts';
import { ApiError } from '../../../contract/client.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { canAsk } from '../../input/ask.ts';
import { formatLeft } from '../../output/duration.ts';
import { escapeLine } from '../../output/escape-text.ts';
import type { Cli } from '../../program/cli.ts';
import { type Decision, isLongerThanScreen, questionAbout } from '../approvals/decision-words.ts';
import { callText } from '../approvals/edit-call.ts';
import { askDecision } from '../run/ask-decision.ts';

/**
 * Publishes, and asks on the terminal where a person has to decide first. Without a terminal it says how to decide, and
 * answers what waits.
 */
export async function approvePublication<T extends { status: string }>(
  cli: Cli,
  { json = false }: { json?: boolean | undefined },
  publish: (approval?: string) => Promise<T | WaitingPublication>,
): Promise<T | WaitingPublication> {
  let answer = await publish();
  while (isWaiting(answer)) {
    const { approval } = answer;
    const decision = json || !canAsk(cli) ? undefined : await askHere(cli, approval);
    if (!decision) {
      sayHowToDecide(cli, answer);
      return answer;
    }
    await decide(cli, approval, decision);
    if (decision.decision === 'deny') throw new CliError(exitCodes.cancelled, 'Denied; nothing was pushed.');
    answer = await publish(approval.id);
  }
  return answer;
}

const isWaiting = <T extends { status: string }>(
  answer: T | WaitingPublication,
): answer is WaitingPublication => answer.status === 'waiting_for_approval';

function sayHowToDecide({ output }: Cli, { message, approval }: WaitingPublication): void {
  const left = formatLeft(approval.expiresAt, Date.now());
  output.note(`${output.paintError('yellow', '!')} ${escapeLine(message)} (${left} left).`);
  output.note(`  Review: svc tasks diff ${approval.taskId}   Decide: svc approvals allow ${approval.id}`);
  output.note('  Once it is allowed, svc pushes it.');
}

/** The decision of the person; undefined where they leave it to later. */
async function askHere(cli: Cli, approval: Approval): Promise<Decision | undefined> {
  const shown = callText(cli, approval);
  cli.output.note(shown);
  const rows = shown.split('\n').length;
  const question = questionAbout(approval, { rows, isLong: isLongerThanScreen(rows, cli.output) });
  const decision = await askDecision(cli.output, question, new AbortController().signal);
  return decision === 'edit' ? undefined : decision;
}

async function decide(cli: Cli, { id, toolName }: Approval, body: Decision): Promise<void> {
  try {
    await cli.connect().decide(id, body);
  } catch (error) {
    // Decided elsewhere, or expired: the next request says which.
    if (!(error instanceof ApiError) || error.status !== 400) throw error;
    cli.output.note(`${visibleLine(toolName)}: ${escapeLine(error.message)}`);
  }
}
