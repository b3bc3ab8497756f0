import type { Output } from './output.ts';

/** Narrower terminals have no room for full IDs. */
const WIDE = 120;
/** The kind and the first part of an id. */
const SHORTEST = /^[a-z]+_[^-]*/;

/** Shortens IDs on a narrow terminal to unique prefixes, which commands accept. */
export function idShortener(
  { width }: Pick<Output, 'width'>,
  rows: readonly { id: string }[],
): (id: string) => string {
  if (width >= WIDE) return (id) => id;
  let length = Math.max(0, ...rows.map(({ id }) => SHORTEST.exec(id)?.[0].length ?? id.length));
  const isUnique = () => new Set(rows.map(({ id }) => id.slice(0, length))).size === rows.length;
  while (!isUnique()) length += 1;
  return (id) => id.slice(0, length).replace(/-$/, '');
}
