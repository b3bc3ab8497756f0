import { SerialByKey } from '../async/serial-by-key.ts';
import { findSetting } from '../config/settings.ts';
import { put, type SettingsDocument } from '../config/settings-document.ts';
import type { Locate, SettingChange, SettingsSource } from '../config/settings-source.ts';
import { AppError } from '../errors.ts';
import type { EventBus } from '../events.ts';
import type { Runtime } from '../runtime.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';

export interface SharedSettingsDeps {
  database: Database;
  bus: EventBus;
  runtime: Pick<Runtime, 'now'>;
}

/** The settings that the daemons of a cluster share, in a table with a version for each. */
export class SharedSettings implements SettingsSource {
  readonly #deps: SharedSettingsDeps;
  readonly #jobs = new SerialByKey();
  #document: SettingsDocument = {};
  #versions = new Map<string, number>();
  constructor(deps: SharedSettingsDeps) {
    this.#deps = deps;
  }

  get document(): SettingsDocument {
    return this.#document;
  }

  /** Whether no setting was ever stored. */
  get isNew(): boolean {
    return this.#versions.size === 0;
  }

  locate(): Locate {
    return (key) => `${key} in the settings of the cluster`;
  }

  refresh(): Promise<boolean> {
    return this.#jobs.enqueue('table', async () => {
      const rows = await this.#deps.database.read
        .selectFrom('settings')
        .select(['key', 'value', 'version'])
        .execute();
      const isSame =
        rows.length === this.#versions.size &&
        rows.every(({ key, version }) => this.#versions.get(key) === version);
      if (isSame) return false;
      this.#versions = new Map(rows.map(({ key, version }) => [key, version]));
      this.#document = {};
      for (const { key: name, value } of rows) {
        // A newer daemon may have stored settings that this one does not know.
        const key = findSetting(name);
        if (key) put(this.#document, key, JSON.parse(value));
      }
      return true;
    });
  }

  write(
    changes: readonly SettingChange[],
    check: (document: SettingsDocument) => void,
    author?: string,
  ): Promise<void> {
    // What the caller has read: a change that waits for its turn here must not count as read.
    const read = changes.map((change) => ({ ...change, version: this.#versions.get(change.key) ?? 0 }));
    return this.#jobs.enqueue('table', async () => {
      const next = structuredClone(this.#document);
      for (const { key, value } of changes) put(next, key, value);
      check(next);
      const { database, bus, runtime } = this.#deps;
      await database.write(async (transaction) => {
        for (const change of read) await this.#writeOne(transaction, change, runtime.now(), author);
        transaction.afterCommit(() => {
          this.#document = next;
          for (const { key, version } of read) this.#versions.set(key, version + 1);
          bus.emit('settings_changed', { keys: changes.map(({ key }) => key) });
        });
      });
    });
  }

  async #writeOne(
    { db }: WriteTransaction,
    { key, value, version }: SettingChange & { version: number },
    now: Date,
    author: string | undefined,
  ): Promise<void> {
    const row = {
      value: JSON.stringify(value),
      version: version + 1,
      updated_at: now.toISOString(),
      updated_by: author ?? null,
    };
    const written = await (
      version === 0
        ? db
            .insertInto('settings')
            .values({ key, ...row })
            .onConflict((conflict) => conflict.column('key').doNothing())
            .returning('version')
        : db
            .updateTable('settings')
            .set(row)
            .where('key', '=', key)
            .where('version', '=', version)
            .returning('version')
    ).execute();
    if (written.length === 0)
      throw new AppError(
        'conflict',
        `${key} was changed on another daemon meanwhile. Look at it and try again`,
      );
  }
}
