import type { Approval } from '../../../contract/approvals.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { forEachId } from '../../ids/for-each-id.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { withId } from '../../ids/resolve-id.ts';
import { ask, canAsk } from '../../input/ask.ts';
import { type Decision, isLongerThanScreen } from './decision-words.ts';
import { findApproval, loadApproval } from './find-approval.ts';
import { formatCall } from './format-call.ts';

interface AllowOptions extends Format {
  always?: boolean;
  wholeTool?: boolean;
  yes?: boolean;
}

interface Format {
  json?: boolean;
}

/** `svc approvals allow ID`. */
export async function allowApproval(
  cli: Cli,
  text: string,
  { always = false, wholeTool = false, yes = false, json }: AllowOptions,
): Promise<void> {
  const { output } = cli;
  const shown = canAsk(cli) && !yes ? await confirmIfLong(cli, text) : undefined;
  const approval = await decide(
    cli,
    shown ?? text,
    wholeTool
      ? { decision: 'allow-always', covers: 'tool' }
      : { decision: always ? 'allow-always' : 'allow-once' },
    json,
  );
  if (json) return;
  if (shown === undefined) output.note(callText(cli, approval));
  const tool = visibleLine(approval.toolName);
  const where = approval.conversationId === undefined ? 'task' : 'conversation';
  if (wholeTool) return output.note(`Allowed every call of ${tool} for the rest of this ${where}.`);
  output.note(always ? allowedAlways(approval, where) : `Allowed ${tool} once.`);
}

/** The start of what `alwaysCovers` says of a call that needs an approval each time. */
const NOTHING = 'nothing: ';

function allowedAlways({ toolName, alwaysCovers }: Approval, where: string): string {
  const tool = visibleLine(toolName);
  if (alwaysCovers === undefined) return `Allowed ${tool} for the rest of this ${where}.`;
  const covers = visibleLine(alwaysCovers);
  return covers.startsWith(NOTHING)
    ? `Allowed ${tool} once: ${covers.slice(NOTHING.length)}.`
    : `Allowed for the rest of this ${where}: ${covers}.`;
}

function callText({ output }: Cli, approval: Approval): string {
  const { paintError: paint, errorStream } = output;
  const width = errorStream.columns || Number.POSITIVE_INFINITY;
  return formatCall(approval, { paint, width, now: Date.now() }).trimEnd();
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
    const approval = await decide(
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

async function decide(cli: Cli, text: string, body: Decision, json = false): Promise<Approval> {
  const { client } = cli.connect();
  const found = await findApproval(client, text);
  const { answer } = await withId(found, idsOf(client, 'approval'), (id) =>
    client.approvals.decide({ params: { id }, body }),
  );
  if (json) cli.output.json(answer);
  else cli.output.write(`${answer.approval.id}\n`);
  return answer.approval;
}
