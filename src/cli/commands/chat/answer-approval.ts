import type { Approval } from '../../../contract/approvals.ts';
import { ApiError } from '../../../contract/client.ts';
import { ask, canAsk } from '../../input/ask.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import {
  type Answer,
  type Decision,
  isLongerThanScreen,
  parseDecision,
  type Question,
  questionAbout,
} from '../approvals/decision-words.ts';
import { editCall } from '../approvals/edit-call.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { renderApproval } from '../../tui/parts/render-approval.ts';
import { paintLine } from '../../output/paint-line.ts';

/** What happens with a call that needs approval; by default the terminal prompts. */
export type OnApproval = 'fail' | 'wait' | 'deny';

/** Decides a requested approval, or ends the command if that is not possible here. */
export async function answerApproval(
  cli: Cli,
  approval: Approval,
  onApproval: OnApproval | undefined,
): Promise<void> {
  const { output } = cli;
  const tool = visibleLine(approval.toolName);
  if (onApproval === 'wait') {
    output.note(
      `${output.paintError('yellow', '!')} ${tool} is waiting for approval  Decide: svc approvals ls`,
    );
    return;
  }
  if (onApproval === 'deny') {
    output.note(`${output.paintError('yellow', '!')} ${tool} needs approval: denied (--on-approval deny)`);
    return decide(cli, approval, { decision: 'deny' });
  }
  if (onApproval === 'fail' || !canAsk(cli))
    throw new CliError(
      exitCodes.approvalNeeded,
      `${tool} needs approval, and there is no terminal to prompt on: ${approval.reason}`,
      { next: 'Continue without it: --on-approval deny, or decide elsewhere: --on-approval wait' },
    );
  const lines = renderApproval(approval, (output.errorStream.columns || 80) - 2);
  for (const line of lines) output.note(`${output.paintError('yellow', '│')} ${paintLine(line, output)}`);
  return decide(cli, approval, await askWhether(cli, approval, lines.length));
}

async function askWhether(cli: Cli, approval: Approval, rows: number): Promise<Decision> {
  const isLong = isLongerThanScreen(rows, cli.output);
  for (;;) {
    const answer = await askPerson(cli, questionAbout(approval, { rows, isLong }));
    if (answer !== 'edit') return answer;
    const edited = await editCall(cli, approval, (question) => askPerson(cli, question));
    if (edited) return edited;
  }
}

/** What is no answer denies. */
async function askPerson(cli: Cli, { text, answers }: Question): Promise<Answer> {
  const [answer = ''] = await ask(cli, [{ text, mayBeEmpty: true }], '');
  return parseDecision(answer, answers) ?? { decision: 'deny' };
}

async function decide(cli: Cli, { id }: Approval, body: Decision): Promise<void> {
  try {
    await cli.connect().decide(id, body);
  } catch (error) {
    // Decided elsewhere, or expired; the stream reports which.
    if (!(error instanceof ApiError) || error.status !== 400) throw error;
  }
}
