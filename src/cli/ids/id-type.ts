import { type Candidate, suggested, type ValueType } from '../program/value-type.ts';
import { type IdKindName, idKinds } from './id-kinds.ts';

const SUGGESTED = 100;

/**
 * Takes an id of this kind or its beginning; `within` names the argument or option that says what the ids belong to,
 * and its kind where it is an id itself.
 */
export function id(
  name: IdKindName,
  { within, help }: { within?: { name: string; kind?: IdKindName }; help?: ValueType['help'] } = {},
): ValueType<string> {
  const { noun } = idKinds[name];
  return suggested(
    async (cli, { signal, values }) => {
      const { client } = cli.connect({ mayStart: false });
      const typed = within && values.get(within.name);
      const owner =
        typed !== undefined && within?.kind !== undefined
          ? await (
              await import('./resolve-id.ts')
            ).resolveId(typed, (await import('./ids-of.ts')).idsOf(client, within.kind))
          : typed;
      const request = { limit: SUGGESTED, isOpenOnly: true, request: { signal } };
      const pages = idKinds[name].list(client, { ...request, ...(owner !== undefined && { within: owner }) });
      for await (const rows of pages) return rows.map(({ id: each, label }): Candidate => [each, label]);
      return [];
    },
    help ?? { one: `ID of the ${noun}, or its beginning`, several: `IDs of ${noun}s, or their beginnings` },
  );
}
