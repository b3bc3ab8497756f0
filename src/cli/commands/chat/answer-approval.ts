import type { Approval, ApprovalDecision } from '../../../contract/approvals.ts';
import { ApiError } from '../../../contract/client.ts';
import { ask, canAsk } from '../../input/ask.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { renderApproval } from '../../tui/parts/render-approval.ts';
import { lineText } from '../../tui/parts/line.ts';

/** What happens with a call that needs approval; by default the terminal prompts. */
export type OnApproval = 'fail' | 'wait' | 'deny';

/** Decides a requested approval, or ends the command if that is not possible here. */
export async function answerApproval(
  cli: Cli,
  approval: Approval,
  onApproval: OnApproval | undefined,
): Promise<void> {
  const { output } = cli;
  const tool = escapeLine(approval.toolName);
  if (onApproval === 'wait') {
    output.note(
      `${output.paintError('yellow', '!')} ${tool} is waiting for approval  Decide: svc approvals ls`,
    );
    return;
  }
  if (onApproval === 'deny') {
    output.note(`${output.paintError('yellow', '!')} ${tool} needs approval: denied (--on-approval deny)`);
    return decide(cli, approval, 'deny');
  }
  if (onApproval === 'fail' || !canAsk(cli))
    throw new CliError(
      exitCodes.approvalNeeded,
      `${tool} needs approval, and there is no terminal to prompt on: ${approval.reason}`,
      { next: 'Continue without it: --on-approval deny, or decide elsewhere: --on-approval wait' },
    );
  for (const line of renderApproval(approval, (output.errorStream.columns || 80) - 2))
    output.note(`${output.paintError('yellow', '│')} ${lineText(line)}`);
  return decide(cli, approval, await askWhether(cli, tool));
}

async function askWhether(cli: Cli, tool: string): Promise<ApprovalDecision> {
  const [answer = ''] = await ask(
    cli,
    [{ text: `Allow ${tool}? [y]es once, [a]lways in this conversation, [N]o: `, mayBeEmpty: true }],
    '',
  );
  const word = answer.trim().toLowerCase();
  if (word === 'y' || word === 'yes') return 'allow-once';
  return word === 'a' || word === 'always' ? 'allow-always' : 'deny';
}

async function decide(cli: Cli, { id }: Approval, decision: ApprovalDecision): Promise<void> {
  try {
    await cli.connect().client.approvals.decide({ params: { id }, body: { decision } });
  } catch (error) {
    // Decided elsewhere, or expired; the stream reports which.
    if (!(error instanceof ApiError) || error.status !== 400) throw error;
  }
}
