import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { FilterTasksQuery } from '../../contract/tasks.ts';
import type { Position } from './cursor.ts';

type SortBy = FilterTasksQuery['sortBy'];
type Direction = FilterTasksQuery['sortOrder'];
/** The columns that tasks are sorted by; `seq` comes last and makes the order total. */
type SortColumn = 'created_at' | 'updated_at' | 'completed_at' | 'priority' | 'seq';

/** By name; each order has an index. */
export const sortColumns: Readonly<Record<SortBy, readonly SortColumn[]>> = {
  createdAt: ['created_at', 'seq'],
  updatedAt: ['updated_at', 'seq'],
  completedAt: ['completed_at', 'seq'],
  priority: ['priority', 'created_at', 'seq'],
};

/** The columns of an order, as the walk names those that its index has. */
export function orderRefs(
  sortBy: SortBy,
  walk: { createdAt: RawBuilder<string>; seq: RawBuilder<number> },
): RawBuilder<unknown>[] {
  return sortColumns[sortBy].map((column) => {
    if (column === 'seq') return walk.seq;
    return column === 'created_at' && sortBy === 'createdAt' ? walk.createdAt : sql.ref(`tasks.${column}`);
  });
}

/** `order by` these columns, all in one direction. */
export const orderBy = (refs: readonly RawBuilder<unknown>[], direction: Direction): RawBuilder<unknown> =>
  sql.join(refs.map((ref) => (direction === 'asc' ? sql`${ref} asc` : sql`${ref} desc`)));

/** The tasks after a position in the order. */
export function isAfter(
  refs: readonly RawBuilder<unknown>[],
  direction: Direction,
  position: Position,
): RawBuilder<SqlBool> {
  const beyond = direction === 'asc' ? sql`>` : sql`<`;
  return sql`(${sql.join(refs)}) ${beyond} (${sql.join(position)})`;
}
