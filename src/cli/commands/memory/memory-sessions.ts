import type { MemorySession } from '../../../contract/memory.ts';
import type { Cli } from '../../program/cli.ts';
import { formatAge } from '../../output/duration.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { forEachId } from '../../ids/for-each-id.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { withId } from '../../ids/resolve-id.ts';
import { idShortener } from '../../output/shorten-ids.ts';

interface Format {
  json?: boolean;
}
export interface SessionsOptions extends Format {
  status?: MemorySession['status'];
  limit?: number;
  offset?: number;
  quiet?: boolean;
}
export interface CreateSessionOptions extends Format {
  conversation?: string;
  user?: string;
}

/** `svc memory sessions ls`. */
export async function listMemorySessions(
  cli: Cli,
  { status, limit, offset = 0, json, quiet }: SessionsOptions,
): Promise<void> {
  const { output } = cli;
  const answer = await cli.connect().client.memory.listSessions({
    query: { offset, ...(status && { status }), ...(limit !== undefined && { limit }) },
  });
  if (json) return output.json(answer);
  const { sessions, total } = answer;
  if (quiet) return output.write(sessions.map(({ id }) => `${id}\n`).join(''));
  if (sessions.length === 0)
    return output.note(
      status === undefined
        ? 'No memory sessions. Create one: svc memory sessions create NAME'
        : `No ${status} memory sessions. List all: svc memory sessions ls`,
    );
  const now = Date.now();
  const short = idShortener(output, sessions);
  output.table<MemorySession>(
    [
      { title: 'ID', value: ({ id }) => short(id) },
      {
        title: 'STATUS',
        value: (each) => each.status,
        paint: (cell, each) => (each.status === 'active' ? cell : output.paint('dim', cell)),
      },
      { title: 'CREATED', value: ({ createdAt }) => formatAge(createdAt, now) },
      { title: 'NAME', value: ({ name }) => name, isElastic: true },
      { title: 'CONVERSATION', value: ({ conversationId = '' }) => conversationId, fromWidth: 100 },
    ],
    sessions,
  );
  if (offset + sessions.length < total)
    output.note(output.paintError('dim', `${sessions.length} of ${total}. More: --limit, --offset`));
}

/** `svc memory sessions create NAME`. */
export async function createMemorySession(
  cli: Cli,
  name: string,
  { conversation, user, json }: CreateSessionOptions,
): Promise<void> {
  const { output } = cli;
  const answer = await cli.connect().client.memory.createSession({
    body: {
      name,
      ...(conversation !== undefined && { conversationId: conversation }),
      ...(user !== undefined && { userId: user }),
    },
  });
  if (json) return output.json(answer);
  output.write(`${answer.session.id}\n`);
}

/** `svc memory sessions archive ID…`. */
export async function archiveMemorySessions(cli: Cli, texts: string[], { json }: Format): Promise<void> {
  const { output } = cli;
  const { client } = cli.connect();
  await forEachId(cli, texts, async (text) => {
    const { id, answer } = await withId(text, idsOf(client, 'memorySession'), (each) =>
      client.memory.archiveSession({ params: { id: each } }),
    );
    if (json) return output.json(answer);
    output.write(`${id}\n`);
    output.note(`Archived ${escapeLine(answer.session.name)}.`);
  });
}
