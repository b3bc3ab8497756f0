import { whyEachTime } from '../../../contract/always-covers.ts';
import type { Approval } from '../../../contract/approvals.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { forEachId } from '../../ids/for-each-id.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { ask, canAsk } from '../../input/ask.ts';
import { isLongerThanScreen } from './decision-words.ts';
import { allowEdited, readArguments } from './edit-approval.ts';
import { callText } from './edit-call.ts';
import { findApproval, loadApproval } from './find-approval.ts';
import { sendDecision } from './send-decision.ts';

interface AllowOptions extends Format {
  always?: boolean;
  wholeTool?: boolean;
  yes?: boolean;
  arguments?: string;
}

interface Format {
  json?: boolean;
}

/** `svc approvals allow ID`. */
export async function allowApproval(
  cli: Cli,
  text: string,
  { always = false, wholeTool = false, yes = false, json, arguments: edited }: AllowOptions,
): Promise<void> {
  const { output } = cli;
  if (edited !== undefined) {
    if (always || wholeTool)
      throw new CliError(exitCodes.usage, 'Changed arguments can only be allowed once: omit --always.');
    return allowEdited(cli, text, await readArguments(edited), json);
  }
  const shown = canAsk(cli) && !yes ? await confirmIfLong(cli, text) : undefined;
  const { approval, alsoAllowed = [] } = await sendDecision(
    cli,
    shown ?? text,
    wholeTool
      ? { decision: 'allow-always', covers: 'tool' }
      : { decision: always ? 'allow-always' : 'allow-once' },
    json,
  );
  if (json) return;
  if (alsoAllowed.length > 0)
    output.note(
      `Also allowed ${alsoAllowed.length} ${alsoAllowed.length === 1 ? 'call' : 'calls'} that waited.`,
    );
  if (shown === undefined) output.note(callText(cli, approval));
  const tool = visibleLine(approval.toolName);
  const where = approval.conversationId === undefined ? 'task' : 'conversation';
  if (wholeTool) return output.note(`Allowed every call of ${tool} for the rest of this ${where}.`);
  output.note(always ? allowedAlways(approval, where) : `Allowed ${tool} once.`);
}

function allowedAlways({ toolName, alwaysCovers }: Approval, where: string): string {
  const tool = visibleLine(toolName);
  if (alwaysCovers === undefined) return `Allowed ${tool} for the rest of this ${where}.`;
  const why = whyEachTime(alwaysCovers);
  return why === undefined
    ? `Allowed for the rest of this ${where}: ${visibleLine(alwaysCovers)}.`
    : `Allowed ${tool} once: ${visibleLine(why)}.`;
}

/** Shows a call that is longer than the screen, and has the person type that they read it; its ID if it was shown. */
async function confirmIfLong(cli: Cli, text: string): Promise<string | undefined> {
  const { client } = cli.connect();
  const approval = await loadApproval(client, await findApproval(client, text));
  const whole = callText(cli, approval);
  const rows = whole.split('\n').length;
  if (approval.status !== 'pending' || !isLongerThanScreen(rows, cli.output)) return undefined;
  cli.output.note(whole);
  const question = `It takes ${rows} rows, more than the screen: scroll up and read it all. Type "allow" to allow it: `;
  const [answer = ''] = await ask(cli, [{ text: question, mayBeEmpty: true }], '');
  if (answer.trim().toLowerCase() !== 'allow')
    throw new CliError(exitCodes.approvalNeeded, 'Not allowed; the call is still waiting.');
  return approval.id;
}

/** `svc approvals deny ID…`. */
export async function denyApprovals(
  cli: Cli,
  texts: string[],
  { all = false, reason, json }: Format & { all?: boolean; reason?: string },
): Promise<void> {
  if (texts.length > 0 === all)
    throw new CliError(exitCodes.usage, 'Specify approvals, or pass --all.', {
      next: 'See them: svc approvals ls',
    });
  const ids = all ? await pendingIds(cli) : texts;
  if (ids.length === 0) return cli.output.note('No pending approvals.');
  await forEachId(cli, ids, async (text) => {
    const { approval } = await sendDecision(
      cli,
      text,
      { decision: 'deny', ...(reason !== undefined && { denialReason: reason }) },
      json,
    );
    if (!json) cli.output.note(`Denied ${visibleLine(approval.toolName)}.`);
  });
}

async function pendingIds(cli: Cli): Promise<string[]> {
  const ids: string[] = [];
  for await (const id of idsOf(cli.connect().client, 'approval', { isOpenOnly: true }).list()) ids.push(id);
  return ids;
}
