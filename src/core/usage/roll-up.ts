import type { Database, WriteTransaction } from '../storage/database.ts';
import { inBatches } from '../storage/in-batches.ts';

/** Adds up the usage of days before this one over all tasks and conversations, so that the ledger stays small. */
export async function rollUpBefore(database: Database, day: string): Promise<void> {
  await inBatches((limit) => database.write((transaction) => rollUp(transaction, day, limit)));
}

/** Resolves to how many tasks and conversations of a day were added up. */
async function rollUp(transaction: WriteTransaction, before: string, limit: number): Promise<number> {
  const { db } = transaction;
  const works = await db
    .selectFrom('usage')
    .select(['day', 'task_id', 'conversation_id'])
    .distinct()
    .where('day', '<', before)
    .where((is) => is.or([is('task_id', '<>', ''), is('conversation_id', '<>', '')]))
    .limit(limit)
    .execute();
  for (const { day, task_id, conversation_id } of works) {
    const rows = await db
      .deleteFrom('usage')
      .where('day', '=', day)
      .where('task_id', '=', task_id)
      .where('conversation_id', '=', conversation_id)
      .returningAll()
      .execute();
    for (const row of rows) {
      const { input_tokens, output_tokens, cached_tokens, calls, cost_usd, unknown_calls, ...key } = row;
      transaction.addLater(
        'usage',
        { ...key, task_id: '', conversation_id: '' },
        { input_tokens, output_tokens, cached_tokens, calls, cost_usd, unknown_calls },
      );
    }
  }
  return works.length;
}
