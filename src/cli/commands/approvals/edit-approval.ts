import { readFileSync } from 'node:fs';
import type { Approval } from '../../../contract/approvals.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { CliError } from '../../errors/cli-error.ts';
import { formatFileError } from '../../errors/file-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { ask, canAsk } from '../../input/ask.ts';
import { readStdin } from '../../input/read-stdin.ts';
import type { Cli } from '../../program/cli.ts';
import { parseDecision } from './decision-words.ts';
import { parseArguments } from './edit-arguments.ts';
import { editCall, stillWaiting } from './edit-call.ts';
import { findApproval, loadApproval } from './find-approval.ts';
import { sendDecision } from './send-decision.ts';

/** `svc approvals edit ID`. */
export async function editApproval(cli: Cli, text: string, { json }: { json?: boolean }): Promise<void> {
  if (!canAsk(cli))
    throw new CliError(exitCodes.usage, 'There is no terminal for an editor.', {
      next: 'Pass the arguments: svc approvals allow ID --arguments FILE',
    });
  const { client } = cli.connect();
  const approval = await loadApproval(client, await findApproval(client, text));
  if (approval.status !== 'pending')
    throw new CliError(exitCodes.invalid, `The approval is already ${approval.status}.`);
  const decision = await editCall(cli, approval, async ({ text: question, answers }) => {
    const [answer = ''] = await ask(cli, [{ text: question, mayBeEmpty: true }], '');
    return parseDecision(answer, answers);
  });
  if (!decision?.arguments) return cli.output.note(stillWaiting(approval));
  await allowEdited(cli, approval.id, decision.arguments, json);
}

/** Allows a call with the arguments of the person. */
export async function allowEdited(
  cli: Cli,
  text: string,
  edited: Approval['params'],
  json: boolean | undefined,
): Promise<void> {
  const { approval } = await sendDecision(cli, text, { decision: 'allow-once', arguments: edited }, json);
  if (!json) cli.output.note(`Allowed ${visibleLine(approval.toolName)} once, with your arguments.`);
}

/** Arguments as JSON, as the name of a file with JSON, or `-` for stdin. */
export async function readArguments(text: string): Promise<Approval['params']> {
  if (text.trimStart().startsWith('{')) return parseArguments(text);
  if (text === '-') return parseArguments(await readStdin());
  return parseArguments(readFile(text));
}

function readFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new CliError(exitCodes.invalid, `${path} cannot be read: ${formatFileError(cause)}.`, {
      next: 'Pass JSON, a file, or - for stdin.',
      cause,
    });
  }
}
