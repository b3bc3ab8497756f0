import { type Kysely, sql } from 'kysely';
import { AppError } from '../errors.ts';
import type { Engine } from '../storage/database.ts';
import type { Schema } from '../storage/schema.ts';

type OwnedTable = { [T in keyof Schema]: Schema[T] extends { owner_id: string } ? T : never }[keyof Schema];

/** The maximum number of objects of one kind per user. */
export interface PerUserLimit {
  table: OwnedTable;
  max: number;
  /** The plural name of the objects for messages. */
  noun: string;
  /** How to make room: an instruction without a full stop. */
  remedy: string;
}

/** By how many rows one more would exceed the limit; zero or less when it fits. */
export async function excessOf(
  db: Kysely<Schema>,
  { table, max }: PerUserLimit,
  ownerId: string,
): Promise<number> {
  const query = sql<{ n: number }>`select count(*) as n from ${sql.table(table)} where owner_id = ${ownerId}`;
  const { rows } = await query.execute(db);
  return (rows[0]?.n ?? 0) + 1 - max;
}

/** Throws an `AppError` when the user already has as many as the limit allows; locks the user, so that the room stays. */
export async function requireRoom(
  engine: Engine,
  db: Kysely<Schema>,
  limit: PerUserLimit,
  ownerId: string,
): Promise<void> {
  await engine.lockUser(db, ownerId);
  if ((await excessOf(db, limit, ownerId)) > 0) throw limitReached(limit);
}

export const limitReached = ({ max, noun, remedy }: PerUserLimit): AppError =>
  new AppError('wrong_state', `Limit reached: ${max} ${noun} per user. ${remedy}`);
