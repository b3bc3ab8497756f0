import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { TextSlice } from '../database.ts';
import { toTextQuery } from './text-words.ts';

/**
 * The index of words (GIN) finds all matches of a query before it gives the first, in no order: for a word that most tasks
 * have, a million. Reading the texts one after the other takes as long for a word that few have. So a look at some texts
 * says that they are read. Where it does not, the statistics of PostgreSQL decide: they know the most frequent words of all
 * texts, but hardly how many have one of those that begin with a prefix.
 */
const LOOKED_AT = 1000;
/** Matches among those from which on counting texts one by one is faster than counting in the index. */
const FREQUENT = 100;

/** Whether the row of `task_words` matches. */
export function isTextMatch(query: string): RawBuilder<SqlBool> {
  const condition = toTextQuery(query);
  return condition === undefined ? sql`false` : sql`words @@ ${condition}::tsquery`;
}

/** The same as a test that no index is used for. */
const isMatchHere = (query: string): RawBuilder<SqlBool> => sql`(${isTextMatch(query)}) is true`;

/** See `Engine.textMatches`. */
export function textMatches(query: string, slice?: TextSlice): RawBuilder<{ seq: number }> {
  const matches = sql<{ seq: number }>`select task_seq as seq from task_words where ${isTextMatch(query)}`;
  if (!slice) return matches;
  const { order, from, limit } = slice;
  const direction = order === 'asc' ? sql`asc` : sql`desc`;
  const bound = order === 'asc' ? sql`>=` : sql`<=`;
  const start = from === undefined ? sql`true` : sql`task_seq ${bound} ${from}`;
  // Walking takes `limit` by the share of matches, the index takes that share: both are equal at the square root.
  const isFrequent = sql`(select n from looked) * 2 >= sqrt(${limit}::float8)`;
  return sql`with looked as (${matchesAmong(query, texts(start, direction, LOOKED_AT))})
    (select task_seq as seq from task_words where ${isMatchHere(query)} and ${start} and ${isFrequent}
      order by task_seq ${direction} limit ${limit})
    union all
    (${matches} and ${start} and not ${isFrequent} order by task_seq ${direction} limit ${limit})`;
}

/** See `Engine.textCount`; the oldest texts are looked at as well, because what is counted has no order. */
export function textCount(query: string, most: number): RawBuilder<{ n: number }> {
  const upTo = (isMatch: RawBuilder<SqlBool>) =>
    sql`(select count(*) from (select from task_words where ${isMatch} limit ${most + 1}) as found)`;
  const ends = [sql`asc`, sql`desc`].map((direction) => sql`(${texts(sql`true`, direction, LOOKED_AT / 2)})`);
  return sql`with looked as (${matchesAmong(query, sql.join(ends, sql` union all `))})
    select case when (select n from looked) >= ${sql.lit(FREQUENT)}
      then ${upTo(isMatchHere(query))} else ${upTo(isTextMatch(query))} end as n`;
}

const texts = (start: RawBuilder<unknown>, direction: RawBuilder<unknown>, count: number) =>
  sql`select words from task_words where ${start} order by task_seq ${direction} limit ${sql.lit(count)}`;

/** How many of some texts match. */
const matchesAmong = (query: string, some: RawBuilder<unknown>) =>
  sql`select count(*) filter (where ${isTextMatch(query)}) as n from (${some}) as texts`;
