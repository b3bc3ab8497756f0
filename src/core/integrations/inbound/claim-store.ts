import type { Database, WriteTransaction } from '../../storage/database.ts';
import type { SourceClaimRow } from '../../storage/rows/inbound.ts';
import { prepareQuery } from '../../storage/prepared-query.ts';
import type { TaskStatus } from '../../../contract/task.ts';
import { type Vendor, type WireName, wireName } from '../../../contract/vendors.ts';
import { isTerminal } from '../../tasks/task-states.ts';

/** The latest task of each issue, comment or check, to prevent a second one while it is unfinished. */
export class ClaimStore {
  readonly #find;
  readonly #put;
  readonly #findBranch;

  constructor({ read: db }: Database) {
    this.#find = prepareQuery<
      { provider: WireName; key: string },
      { task_id: string; status: TaskStatus | null }
    >((value) =>
      db
        .selectFrom('source_claims as claim')
        .leftJoin('tasks', 'tasks.id', 'claim.task_id')
        .select(['claim.task_id', 'tasks.status'])
        .where('claim.provider', '=', value('provider'))
        .where('claim.content_key', '=', value('key')),
    );
    this.#put = prepareQuery<SourceClaimRow, never>((value) =>
      db
        .insertInto('source_claims')
        .values({
          provider: value('provider'),
          content_key: value('content_key'),
          task_id: value('task_id'),
          claimed_at: value('claimed_at'),
        })
        .onConflict((conflict) =>
          conflict.columns(['provider', 'content_key']).doUpdateSet((is) => ({
            task_id: is.ref('excluded.task_id'),
            claimed_at: is.ref('excluded.claimed_at'),
          })),
        ),
    );
    this.#findBranch = prepareQuery<{ repository: string; branch: string }, { id: string }>((value) =>
      db
        .selectFrom('tasks')
        .select('id')
        .where('repository', '=', value('repository'))
        .where('branch', '=', value('branch'))
        .limit(1),
    );
  }

  /** The unfinished task that holds the key. */
  async findOpen(transaction: WriteTransaction, vendor: Vendor, key: string): Promise<string | undefined> {
    const [claim] = await transaction.rows(this.#find({ provider: wireName(vendor), key }));
    // A task created in the same commit has no row yet.
    const isOpen = claim && (claim.status === null || !isTerminal(claim.status));
    return isOpen ? claim.task_id : undefined;
  }

  async put(transaction: WriteTransaction, claim: SourceClaimRow): Promise<void> {
    await transaction.rows(this.#put(claim));
  }

  async hasTaskOn(
    transaction: WriteTransaction,
    { repository, branch }: { repository: string | undefined; branch: string | undefined },
  ): Promise<boolean> {
    if (repository === undefined || branch === undefined) return false;
    return (await transaction.rows(this.#findBranch({ repository, branch }))).length > 0;
  }
}
