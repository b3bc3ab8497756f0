import type { Approval } from '../../../contract/approvals.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { forEachId } from '../../ids/for-each-id.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { withId } from '../../ids/resolve-id.ts';
import { findApproval } from './find-approval.ts';
import { formatCall } from './format-call.ts';

interface Format {
  json?: boolean;
}

/** `svc approvals allow ID`. */
export async function allowApproval(
  cli: Cli,
  text: string,
  { always = false, json }: Format & { always?: boolean },
): Promise<void> {
  const { output } = cli;
  const approval = await decide(cli, text, always ? 'allow-always' : 'allow-once', json);
  if (json) return;
  const { paintError: paint, errorStream } = output;
  const width = errorStream.columns || Number.POSITIVE_INFINITY;
  output.note(formatCall(approval, { paint, width, now: Date.now() }).trimEnd());
  const tool = escapeLine(approval.toolName);
  const where = approval.conversationId === undefined ? 'task' : 'conversation';
  output.note(always ? `Allowed ${tool} for the rest of this ${where}.` : `Allowed ${tool} once.`);
}

/** `svc approvals deny ID…`. */
export async function denyApprovals(
  cli: Cli,
  texts: string[],
  { all = false, json }: Format & { all?: boolean },
): Promise<void> {
  if (texts.length > 0 === all)
    throw new CliError(exitCodes.usage, 'Specify approvals, or pass --all.', {
      next: 'See them: svc approvals ls',
    });
  const ids = all ? await pendingIds(cli) : texts;
  if (ids.length === 0) return cli.output.note('No pending approvals.');
  await forEachId(cli, ids, async (text) => {
    const approval = await decide(cli, text, 'deny', json);
    if (!json) cli.output.note(`Denied ${escapeLine(approval.toolName)}.`);
  });
}

async function pendingIds(cli: Cli): Promise<string[]> {
  const ids: string[] = [];
  for await (const id of idsOf(cli.connect().client, 'approval', { isOpenOnly: true }).list()) ids.push(id);
  return ids;
}

async function decide(
  cli: Cli,
  text: string,
  decision: NonNullable<Approval['decision']>,
  json = false,
): Promise<Approval> {
  const { client } = cli.connect();
  const found = await findApproval(client, text);
  const { answer } = await withId(found, idsOf(client, 'approval'), (id) =>
    client.approvals.decide({ params: { id }, body: { decision } }),
  );
  if (json) cli.output.json(answer);
  else cli.output.write(`${answer.approval.id}\n`);
  return answer.approval;
}
