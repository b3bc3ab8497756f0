import type { DecidedApproval } from '../../../contract/approvals.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { withId } from '../../ids/resolve-id.ts';
import type { Cli } from '../../program/cli.ts';
import type { Decision } from './decision-words.ts';
import { findApproval } from './find-approval.ts';

/** Decides an approval from its ID or the beginning of it, and prints its ID, or the answer as JSON. */
export async function sendDecision(
  cli: Cli,
  text: string,
  body: Decision,
  json = false,
): Promise<DecidedApproval> {
  const connection = cli.connect();
  const { client } = connection;
  const found = await findApproval(client, text);
  const { answer } = await withId(found, idsOf(client, 'approval'), (id) => connection.decide(id, body));
  if (json) cli.output.json(answer);
  else cli.output.write(`${answer.approval.id}\n`);
  return answer;
}
