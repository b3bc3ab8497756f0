import type { Conversation } from '../../../contract/conversations.ts';
import type { Connection } from '../../connection/connection.ts';
import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { withId } from '../../ids/resolve-id.ts';
import { canAsk, confirm } from '../../input/ask.ts';
import { escapeLine } from '../../output/escape-text.ts';
import type { Cli } from '../../program/cli.ts';
import { findConversation } from './choose-conversation.ts';

/** A conversation to continue. */
interface Chosen {
  id: string;
  /** Where it works, if that is another directory. */
  directory?: string | undefined;
}

/** The conversation that `-c` chose, which works in another directory only if the user agrees. */
export async function chosenConversation(
  cli: Cli,
  chosen: string | true | undefined,
): Promise<Chosen | undefined> {
  if (chosen === undefined) return undefined;
  const connection = cli.connect();
  if (chosen === true) return { id: (await lastOfDirectory(connection, process.cwd())).id };
  const { client, target } = connection;
  const id = await findConversation(client, chosen);
  // On another machine the directories are others anyway.
  if (!target.isLocal) return { id };
  const { conversation } = await client.conversations.get({ params: { id } });
  const { cwd } = conversation;
  if (cwd === undefined || cwd === process.cwd()) return { id };
  await agreeToDirectory(cli, { id, cwd });
  return { id, directory: cwd };
}

/** Reads the conversation that an id or its beginning names, or the last one of this directory. */
export async function readConversation(connection: Connection, text: string | undefined) {
  const { client } = connection;
  const read = (id: string) => client.conversations.get({ params: { id } });
  if (text === undefined) return read((await lastOfDirectory(connection, process.cwd())).id);
  return (await withId(text, idsOf(client, 'conversation'), read)).answer;
}

async function lastOfDirectory({ client, target }: Connection, cwd: string): Promise<Conversation> {
  const query = { limit: 1, mine: true, ...(target.isLocal && { cwd }) };
  const [last] = (await client.conversations.list({ query })).conversations;
  if (last) return last;
  throw new CliError(
    exitCodes.notFound,
    target.isLocal ? `There is no conversation in ${cwd} yet.` : 'There is no conversation yet.',
    { next: 'Choose one: svc chat ls, then svc chat -c ID' },
  );
}

async function agreeToDirectory(cli: Cli, { id, cwd }: { id: string; cwd: string }): Promise<void> {
  const { output } = cli;
  const place = escapeLine(cwd);
  output.note(`${output.paintError('yellow', '!')} This conversation works in ${place}.`);
  if (!canAsk(cli) || (await confirm(cli, 'Continue it there?'))) return;
  throw new CliError(exitCodes.cancelled, 'The conversation was not continued.', {
    next: `Go there first: cd ${place} && svc chat -c ${id}, or start one here: svc chat`,
  });
}
