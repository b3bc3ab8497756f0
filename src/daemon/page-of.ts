interface PageQuery {
  limit?: number | undefined;
  offset: number;
}
interface Page {
  total: number;
  limit: number;
  offset: number;
}

/** Pages a collection that is read whole; returns all items unless the query has a limit. */
export function pageOf<Name extends string, T>(
  name: Name,
  items: readonly T[],
  { limit = items.length, offset }: PageQuery,
): Record<Name, T[]> & Page {
  const page: Page = { total: items.length, limit, offset };
  return { [name]: items.slice(offset, offset + limit), ...page } as Record<Name, T[]> & Page;
}
