import { type ExitCode, exitCodes } from '../../errors/exit-codes.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { resolveId } from '../../ids/resolve-id.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { idShortener } from '../../output/shorten-ids.ts';
import type { Cli } from '../../program/cli.ts';

/** `svc tasks apply ID`: fails with status 409, having changed nothing, where the checkout cannot take the changes. */
export async function applyChanges(cli: Cli, text: string, { json }: { json?: boolean }): Promise<ExitCode> {
  const { client, id, output } = await find(cli, text);
  const answer = await client.tasks.applyChanges({ params: { id } });
  if (json) output.json(answer);
  else {
    output.line(`${escapeLine(answer.message)}.`);
    if (answer.status === 'applied') output.note(output.paintError('dim', 'Review them: git diff --cached'));
  }
  return exitCodes.done;
}

/** `svc tasks commit ID`. */
export async function commitChanges(
  cli: Cli,
  text: string,
  { message, json }: { message?: string; json?: boolean },
): Promise<ExitCode> {
  const { client, id, output } = await find(cli, text);
  const body = message === undefined ? {} : { message };
  const answer = await client.tasks.commitChanges({ params: { id }, body });
  if (json) output.json(answer);
  else {
    output.line(`${answer.message}: ${answer.commit.slice(0, 12)}`);
    output.note(output.paintError('dim', `Merge it in your checkout: git merge ${answer.branch}`));
  }
  return exitCodes.done;
}

/** `svc tasks discard ID`. */
export async function discardChanges(
  cli: Cli,
  text: string,
  { force = false, json }: { force?: boolean; json?: boolean },
): Promise<ExitCode> {
  const { client, id, output } = await find(cli, text);
  const answer = await client.tasks.discardChanges({ params: { id }, body: { force } });
  if (json) output.json(answer);
  else {
    output.line(`${answer.message}.`);
    const { teardownProblem, snapshot, status } = answer;
    if (teardownProblem !== undefined)
      output.note(`${output.paintError('yellow', '!')} ${escapeLine(teardownProblem)}`);
    const short = idShortener(output, [{ id }])(id);
    if (status === 'discarded' && snapshot !== undefined)
      output.note(output.paintError('dim', `The changes can still be applied: svc tasks apply ${short}`));
  }
  return exitCodes.done;
}

async function find(cli: Cli, text: string) {
  const { client } = cli.connect();
  return { client, id: await resolveId(text, idsOf(client, 'task')), output: cli.output };
}
