import type { OpenedPullRequest, PushedChanges, WaitingPublication } from '../../../contract/changes.ts';
import { type ExitCode, exitCodes } from '../../errors/exit-codes.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { resolveId } from '../../ids/resolve-id.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { idShortener } from '../../output/shorten-ids.ts';
import type { Cli } from '../../program/cli.ts';
import { approvePublication } from './approve-publication.ts';
import { whileWaiting } from '../../output/while-waiting.ts';

interface PullRequestOptions {
  title?: string;
  body?: string;
  draft?: boolean;
  base?: string;
  json?: boolean;
}

/** `svc tasks push ID`. */
export async function pushChanges(cli: Cli, text: string, { json }: { json?: boolean }): Promise<ExitCode> {
  const { output } = cli;
  const { client } = cli.connect();
  const id = await resolveId(text, idsOf(client, 'task'));
  const answer = await approvePublication(cli, { json }, (approval) =>
    whileWaiting(output, { isShown: !json, text: 'pushing the changes' }, () =>
      client.tasks.pushChanges({ params: { id }, query: { approval } }),
    ),
  );
  if (json) output.json(answer);
  else if (!isWaiting(answer)) {
    output.line(`${escapeLine(answer.message)}: ${answer.commit.slice(0, 12)}`);
    const short = idShortener(output, [{ id }])(id);
    const url = answer.pullRequest?.url;
    output.note(
      output.paintError(
        'dim',
        url === undefined ? `Open a pull request: svc tasks pr ${short}` : `Pull request: ${escapeLine(url)}`,
      ),
    );
  }
  return isWaiting(answer) ? exitCodes.approvalNeeded : exitCodes.done;
}

/** `svc tasks pr ID`: prints only the address of the pull request on stdout. */
export async function openPullRequest(
  cli: Cli,
  text: string,
  { json, ...body }: PullRequestOptions,
): Promise<ExitCode> {
  const { output } = cli;
  const { client } = cli.connect();
  const id = await resolveId(text, idsOf(client, 'task'));
  const answer = await approvePublication(cli, { json }, (approval) =>
    whileWaiting(output, { isShown: !json, text: 'opening the pull request' }, () =>
      client.tasks.openPullRequest({ params: { id }, query: { approval }, body }),
    ),
  );
  if (json) output.json(answer);
  else if (!isWaiting(answer)) {
    const { message, status, pushed, pullRequest, base, branch } = answer;
    const into =
      status === 'created' ? `, ${branch} into ${base}` : pushed ? ', and has the changes now' : '';
    output.note(`${escapeLine(`${message}${into}`)}.`);
    output.line(escapeLine(pullRequest.url));
  }
  return isWaiting(answer) ? exitCodes.approvalNeeded : exitCodes.done;
}

const isWaiting = (
  answer: PushedChanges | OpenedPullRequest | WaitingPublication,
): answer is WaitingPublication => answer.status === 'waiting_for_approval';
