import { type RawBuilder, sql, type SqlBool } from 'kysely';
import type { Database } from '../storage/database.ts';
import type { ConversationStore } from './conversation-store.ts';

/** Messages per transaction. */
const MESSAGES = 500;

/** Removes conversations in steps. */
export class ConversationRemoval {
  readonly #deps: { database: Database; store: ConversationStore };
  constructor(deps: { database: Database; store: ConversationStore }) {
    this.#deps = deps;
  }

  /** Removes the conversation while the condition holds; resolves to whether it was removed. */
  async remove(id: string, condition: () => RawBuilder<SqlBool>): Promise<boolean> {
    const { database, store } = this.#deps;
    for (;;) {
      const left = await database.write(async ({ db }) => {
        const found = db.selectFrom('conversations').select('id').where('id', '=', id).where(condition());
        if (!(await database.engine.lock(found).executeTakeFirst())) return undefined;
        const { numAffectedRows = 0n } = await sql`delete from messages where id in (select id from messages
          where conversation_id = ${id} order by seq limit ${MESSAGES})`.execute(db);
        if (numAffectedRows === BigInt(MESSAGES)) return true;
        await store.remove(db, id);
        return false;
      });
      if (left !== true) return left === false;
    }
  }
}
