import type { Client } from '../../contract/client.ts';
import type { IdKind } from './id-kind.ts';
import { type IdKindName, idKinds } from './id-kinds.ts';
import type { IdSource } from './resolve-id.ts';

const PAGE = 500;

/** The ids of a kind, for `resolveId`. */
export function idsOf(
  client: Client,
  name: IdKindName,
  scope: { within?: string; isOpenOnly?: boolean } = {},
): IdSource {
  const kind: IdKind = idKinds[name];
  return {
    prefix: kind.prefix,
    noun: kind.noun,
    listCommand: kind.listCommand,
    ...(kind.get && { get: async (id: string) => kind.get?.(client, id) }),
    async *list() {
      for await (const rows of kind.list(client, { ...scope, limit: PAGE, request: {} }))
        for (const { id } of rows) yield id;
    },
  };
}
