import { type Database, independent } from '../storage/database.ts';

/** Tokens and USD. */
export interface Used {
  tokens: number;
  costUsd: number;
}

/** Stores what models used on each day, by scope. */
export class DayUsageStore {
  readonly #database: Database;
  constructor(database: Database) {
    this.#database = database;
  }

  async find(day: string, scope: string): Promise<Used> {
    const row = await this.#database.read
      .selectFrom('usage_days')
      .select(['tokens', 'cost_usd'])
      .where('day', '=', day)
      .where('scope', '=', scope)
      .executeTakeFirst();
    return { tokens: row?.tokens ?? 0, costUsd: row?.cost_usd ?? 0 };
  }

  async add(day: string, scopes: readonly string[], { tokens, costUsd }: Used): Promise<void> {
    await this.#database.write(async (transaction) => {
      for (const scope of scopes)
        transaction.addLater('usage_days', { day, scope }, { tokens, cost_usd: costUsd });
    }, independent);
  }

  /** Removes the days before this one. */
  async removeBefore(day: string): Promise<void> {
    await this.#database.write(({ db }) => db.deleteFrom('usage_days').where('day', '<', day).execute());
  }
}
