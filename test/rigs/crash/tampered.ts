import type { WriteTransaction } from '../../../src/core/storage/database.ts';

/** The transaction with a part of it replaced. */
export const tampered = (
  transaction: WriteTransaction,
  parts: Partial<WriteTransaction>,
): WriteTransaction => ({
  db: transaction.db,
  rows: (query) => transaction.rows(query),
  update: (update, values) => transaction.update(update, values),
  insertLater: (table, row) => transaction.insertLater(table, row),
  addLater: (table, key, amounts) => transaction.addLater(table, key, amounts),
  collect: (collector, item) => transaction.collect(collector, item),
  afterCommit: (callback) => transaction.afterCommit(callback),
  ...parts,
});
