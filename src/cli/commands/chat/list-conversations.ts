import type { Conversation } from '../../../contract/conversations.ts';
import { formatAge } from '../../output/duration.ts';
import { idShortener } from '../../output/shorten-ids.ts';
import type { Cli } from '../../program/cli.ts';

export interface ListOptions {
  here?: boolean;
  limit?: number;
  offset?: number;
  json?: boolean;
  quiet?: boolean;
}

/** `svc chat ls`. */
export async function listConversations(cli: Cli, options: ListOptions): Promise<void> {
  const { output } = cli;
  const { here, limit, offset = 0, json, quiet } = options;
  const answer = await cli.connect().client.conversations.list({
    query: { offset, ...(limit !== undefined && { limit }), ...(here && { cwd: process.cwd() }) },
  });
  if (json) return output.json(answer);
  const { conversations, total } = answer;
  if (quiet) return output.write(conversations.map(({ id }) => `${id}\n`).join(''));
  if (conversations.length === 0)
    return output.note(
      here
        ? 'No conversations in this directory. List all: svc chat ls'
        : 'No conversations yet. Start one: svc chat',
    );
  const now = Date.now();
  const short = idShortener(output, conversations);
  output.table<Conversation>(
    [
      { title: 'ID', value: ({ id }) => short(id) },
      { title: 'AGE', value: ({ updatedAt }) => formatAge(updatedAt, now).replace(/ ago$/, '') },
      { title: 'MESSAGES', value: ({ messageCount }) => String(messageCount), align: 'right', fromWidth: 70 },
      // Most people chat with models only.
      ...(conversations.some(({ agent }) => agent !== undefined)
        ? [{ title: 'AGENT', value: ({ agent = '' }: Conversation) => agent }]
        : []),
      { title: 'TITLE', value: ({ title }) => title, isElastic: true },
      { title: 'DIRECTORY', value: ({ cwd = '' }) => cwd, isElastic: true },
    ],
    conversations,
  );
  if (offset + conversations.length < total)
    output.note(output.paintError('dim', `${conversations.length} of ${total}. More: --limit, --offset`));
}
