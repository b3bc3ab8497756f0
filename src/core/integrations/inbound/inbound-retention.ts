import type { Config } from '../../config/config.ts';
import type { Database } from '../../storage/database.ts';
import type { Runtime } from '../../runtime.ts';
import { retriable } from '../../tasks/task-states.ts';

const DAY_MS = 86_400_000;
const PAYLOAD_DAYS = 7;
const MAX_PAYLOADS = 2000;
const MAX_PAYLOAD_BYTES = 256 * 1024 * 1024;
/** Rows per transaction: small enough to let other writers in between. */
const STEP = 500;

export interface RetentionDeps {
  database: Database;
  config: Config;
  runtime: Runtime;
}

/** Removes old log entries, and earlier than that their bodies when they are old, numerous or large. */
export class InboundRetention {
  readonly #deps: RetentionDeps;
  constructor(deps: RetentionDeps) {
    this.#deps = deps;
  }

  async removeOld(): Promise<void> {
    const { config, runtime } = this.#deps;
    const now = runtime.now().getTime();
    const daysAgo = (days: number) => new Date(now - days * DAY_MS).toISOString();
    const oldest = daysAgo(config.get('webhooks.inbound.keepDays'));
    await this.#repeat(() => this.#removeRows(oldest));
    await this.#repeat(() => this.#removeClaims(oldest));
    await this.#repeat(() => this.#dropPayloads(daysAgo(PAYLOAD_DAYS), ''));
    const last = await this.#newestToDrop();
    if (last) await this.#repeat(() => this.#dropPayloads(last.received_at, last.id));
  }

  async #repeat(step: () => Promise<bigint>): Promise<void> {
    while ((await step()) === BigInt(STEP));
  }

  async #removeRows(before: string): Promise<bigint> {
    const { numDeletedRows } = await this.#deps.database.write(({ db }) =>
      db
        .deleteFrom('inbound_deliveries')
        .where('id', 'in', (row) =>
          row
            .selectFrom('inbound_deliveries')
            .select('id')
            .where('received_at', '<', before)
            .orderBy('received_at')
            .limit(STEP),
        )
        .executeTakeFirstOrThrow(),
    );
    return numDeletedRows;
  }

  /** Removes old claims of finished tasks; a claim is kept while its task is unfinished. */
  async #removeClaims(before: string): Promise<bigint> {
    const rows = await this.#finishedClaims(before);
    if (rows.length === 0) return 0n;
    await this.#deps.database.write(async ({ db }) => {
      for (const { provider, content_key, task_id } of rows)
        await db
          .deleteFrom('source_claims')
          .where('provider', '=', provider)
          .where('content_key', '=', content_key)
          // Another task may have taken the claim in the meantime.
          .where('task_id', '=', task_id)
          .execute();
    });
    return BigInt(rows.length);
  }

  #finishedClaims(before: string) {
    return this.#deps.database.read
      .selectFrom('source_claims as claim')
      .innerJoin('tasks', 'tasks.id', 'claim.task_id')
      .select(['claim.provider', 'claim.content_key', 'claim.task_id'])
      .where('claim.claimed_at', '<', before)
      .where('tasks.status', 'in', retriable)
      .limit(STEP)
      .execute();
  }

  /** The newest entry whose body exceeds the limits. */
  async #newestToDrop(): Promise<{ received_at: string; id: string } | undefined> {
    const rows = await this.#deps.database.read
      .selectFrom('inbound_deliveries')
      .select(['id', 'received_at', 'bytes'])
      .where('payload', 'is not', null)
      .orderBy('received_at', 'desc')
      .orderBy('id', 'desc')
      .limit(MAX_PAYLOADS + 1)
      .execute();
    let sum = 0;
    return rows.find(({ bytes }, at) => (sum += bytes) > MAX_PAYLOAD_BYTES || at >= MAX_PAYLOADS);
  }

  /** Drops the bodies of entries received before the moment, or at it with an id up to this one. */
  async #dropPayloads(moment: string, id: string): Promise<bigint> {
    const { numUpdatedRows } = await this.#deps.database.write(({ db }) =>
      db
        .updateTable('inbound_deliveries')
        .set({ payload: null })
        .where('id', 'in', (row) =>
          row
            .selectFrom('inbound_deliveries')
            .select('id')
            .where('payload', 'is not', null)
            .where((is) =>
              is.or([
                is('received_at', '<', moment),
                is.and([is('received_at', '=', moment), is('id', '<=', id)]),
              ]),
            )
            .orderBy('received_at')
            .limit(STEP),
        )
        .executeTakeFirstOrThrow(),
    );
    return numUpdatedRows;
  }
}
