import type { Client } from '../../contract/client.ts';
import type { IdKindName } from './id-kinds.ts';
import { idKinds } from './id-kinds.ts';
import type { IdSource } from './resolve-id.ts';

const PAGE = 500;

/** The ids of a kind, for `resolveId`. */
export function idsOf(
  client: Client,
  name: IdKindName,
  scope: { within?: string; isOpenOnly?: boolean } = {},
): IdSource {
  const { get, list, ...kind } = idKinds[name];
  return {
    ...kind,
    ...(get && { get: (id: string) => get(client, id) }),
    async *list() {
      for await (const rows of list(client, { ...scope, limit: PAGE, request: {} }))
        for (const { id } of rows) yield id;
    },
  };
}
