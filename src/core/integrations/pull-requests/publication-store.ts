import type { OpenPullRequest } from '../../../contract/changes.ts';
import { publishingOperations } from '../../../contract/publishing.ts';
import type { ErrorCode } from '../../errors.ts';
import type { Database, WriteTransaction } from '../../storage/database.ts';
import type { ApprovalRow } from '../../storage/rows/approvals.ts';
import type { PublicationRow } from '../../storage/rows/pull-requests.ts';

/** What a push or a pull request came to. */
export type PublicationOutcome = { answer: object } | { error: { code: ErrorCode; message: string } };

/** What the pull request is to say; undefined for a push. */
export type PublicationOptions = Partial<OpenPullRequest>;

/** A publication for which a person is asked. */
export interface Publication {
  taskId: string;
  options: PublicationOptions;
  /** Undefined until it was tried. */
  outcome: PublicationOutcome | undefined;
}

/** Stores pushes and pull requests for which a person is asked, with what they came to. */
export class PublicationStore {
  readonly #database: Database;
  constructor(database: Database) {
    this.#database = database;
  }

  async insert({ db }: WriteTransaction, row: Omit<PublicationRow, 'outcome'>): Promise<void> {
    await db
      .insertInto('publications')
      .values({ ...row, outcome: null })
      .execute();
  }

  async find(approvalId: string): Promise<Publication | undefined> {
    const row = await this.#database.read
      .selectFrom('publications')
      .selectAll()
      .where('id', '=', approvalId)
      .executeTakeFirst();
    return (
      row && {
        taskId: row.task_id,
        options: JSON.parse(row.options) as PublicationOptions,
        outcome: row.outcome === null ? undefined : (JSON.parse(row.outcome) as PublicationOutcome),
      }
    );
  }

  async finish(approvalId: string, outcome: PublicationOutcome): Promise<void> {
    await this.#database.write(({ db }) =>
      db
        .updateTable('publications')
        .set({ outcome: JSON.stringify(outcome) })
        .where('id', '=', approvalId)
        .execute(),
    );
  }

  /** The approvals of publications that a person has allowed, and that were not tried or not finished. */
  listAllowed(): Promise<ApprovalRow[]> {
    return this.#database.read
      .selectFrom('approvals')
      .innerJoin('publications', 'publications.id', 'approvals.id')
      .selectAll('approvals')
      .where('approvals.tool', 'in', [...publishingOperations])
      .where('approvals.status', '=', 'approved')
      .where('publications.outcome', 'is', null)
      .orderBy('approvals.id')
      .execute();
  }
}
