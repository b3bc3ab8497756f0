import { ApiError, type Client } from '../../../contract/client.ts';
import type { Conversation } from '../../../contract/conversations.ts';
import type { Connection } from '../../connection/connection.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { resolveId } from '../../ids/resolve-id.ts';

/** Creates a conversation whose tools work in a directory of this machine, if the caller may choose one. */
export async function beginConversation(
  { client, target }: Pick<Connection, 'client' | 'target'>,
  folder: string,
  agent?: string,
): Promise<Conversation> {
  const create = async (cwd?: string) => {
    const body = { ...(cwd !== undefined && { cwd }), ...(agent !== undefined && { agent }) };
    return (await client.conversations.create({ body })).conversation;
  };
  if (!target.isLocal) return create();
  try {
    return await create(folder);
  } catch (error) {
    // Only users who may run commands can choose the directory; others work in one of the conversation's own.
    if (agent !== undefined || !(error instanceof ApiError) || error.status !== 403) throw error;
    return create();
  }
}

/** The id of the conversation that an id or its beginning names. */
export const findConversation = (client: Client, text: string): Promise<string> =>
  resolveId(text, idsOf(client, 'conversation'));
