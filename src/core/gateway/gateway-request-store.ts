import type { GatewayRequestRow } from '../storage/rows/gateway.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import { prepareQuery } from '../storage/prepared-query.ts';

/** Maps a request to its task and owner. */
export class GatewayRequestStore {
  readonly #database: Database;
  readonly #find;

  constructor(database: Database) {
    this.#database = database;
    this.#find = prepareQuery<{ id: string }, GatewayRequestRow>((value) =>
      database.read.selectFrom('gateway_requests').selectAll().where('id', '=', value('id')),
    );
  }

  insert(transaction: WriteTransaction, request: GatewayRequestRow): void {
    transaction.insertLater('gateway_requests', request);
  }

  async find(id: string): Promise<GatewayRequestRow | undefined> {
    return (await this.#database.read.executeQuery(this.#find({ id }))).rows[0];
  }
}
