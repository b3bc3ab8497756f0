import type { EventBus } from '../../events.ts';
import type { Database, WriteTransaction } from '../../storage/database.ts';
import type { Runtime } from '../../runtime.ts';
import { EXPERIENCES, raiseStream, REMEMBERED_MS } from '../shared/memory-streams.ts';

export interface ExperienceChangesDeps {
  database: Database;
  bus: Pick<EventBus, 'emit'>;
  runtime: Pick<Runtime, 'now'>;
}

type Changing = Pick<WriteTransaction, 'db' | 'afterCommit'>;

/** Tells the other daemons of a cluster which experiences were added and removed. */
export class ExperienceChanges {
  readonly #deps: ExperienceChangesDeps;
  constructor(deps: ExperienceChangesDeps) {
    this.#deps = deps;
  }

  /** Notes in their transaction that these were added or removed. */
  async note({ db, afterCommit }: Changing, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const { bus, runtime } = this.#deps;
    const rev = await raiseStream(db, EXPERIENCES);
    const changed_at = runtime.now().toISOString();
    afterCommit(() => bus.emit('memory_changed', undefined));
    await db
      .insertInto('experience_changes')
      .values(ids.map((id) => ({ id, rev, changed_at })))
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ rev, changed_at }))
      .execute();
  }

  /** The number of the last change. */
  async last(): Promise<number> {
    const row = await this.#deps.database.read
      .selectFrom('memory_streams')
      .select('rev')
      .where('name', '=', EXPERIENCES)
      .executeTakeFirst();
    return row?.rev ?? 0;
  }

  /** The ids of those that were added or removed after a number. */
  async after(rev: number): Promise<string[]> {
    const rows = await this.#deps.database.read
      .selectFrom('experience_changes')
      .select('id')
      .where('rev', '>', rev)
      .orderBy('rev')
      .execute();
    return rows.map(({ id }) => id);
  }

  /** Removes what every daemon has heard of since: an index that starts is given all experiences. */
  async tidy(): Promise<void> {
    const before = new Date(this.#deps.runtime.now().getTime() - REMEMBERED_MS).toISOString();
    await this.#deps.database.write(({ db }) =>
      db.deleteFrom('experience_changes').where('changed_at', '<', before).execute(),
    );
  }
}
