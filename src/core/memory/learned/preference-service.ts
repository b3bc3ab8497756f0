import type { Origin } from '../../../contract/experiences.ts';
import type { Preference, TrackPreference } from '../../../contract/preferences.ts';
import type { Caller } from '../../auth/caller.ts';
import { namedOwner } from '../../auth/named-owner.ts';
import { AppError } from '../../errors.ts';
import { type PerUserLimit, requireRoom } from '../../limits/per-user-limit.ts';
import type { Database } from '../../storage/database.ts';
import type { PreferenceRow } from '../../storage/rows/memory.ts';
import type { Runtime } from '../../runtime.ts';
import { foldText } from './fold-text.ts';
import { userOrigin, toOrigin, toOriginColumns } from './origin.ts';
import { PreferenceStore } from './preference-store.ts';
import { checkWrite } from './write-gate.ts';

const perUser: PerUserLimit = {
  table: 'preferences',
  max: 5000,
  noun: 'preferences',
  remedy: 'Remove one first: svc memory preferences ls',
};
const FIRST_CONFIDENCE = 0.5;
/** Confidence never reaches 1. */
const MAX_CONFIDENCE = 0.999_999;

export interface PreferenceServiceDeps {
  database: Database;
  runtime: Runtime;
}

/** Manages preferences on behalf of a caller. */
export class PreferenceService {
  readonly #deps: PreferenceServiceDeps;
  readonly #store: PreferenceStore;
  constructor(deps: PreferenceServiceDeps) {
    this.#deps = deps;
    this.#store = new PreferenceStore(deps.database);
  }

  /**
   * Repeating a value halves the doubt; another value in the category halves the confidence. An untrusted origin is
   * counted but does not change the confidence of a trusted preference.
   */
  async track(
    caller: Caller,
    { category, value, userId }: TrackPreference,
    origin: Origin = userOrigin(caller),
  ): Promise<Preference> {
    const { database, runtime } = this.#deps;
    await checkWrite({ kind: 'preference', category, value, origin });
    const now = runtime.now().toISOString();
    const id = runtime.newId('pref');
    const keys = { category_key: foldText(category), value_key: foldText(value) };
    const originColumns = toOriginColumns(origin);
    return database.write(async ({ db }) => {
      const owner_id = await namedOwner(db, caller, userId);
      // All values of a category change together.
      await database.engine.lockUser(db, owner_id);
      const known = await this.#store.findSame(db, { owner_id, ...keys });
      if (!known) await requireRoom(database.engine, db, perUser, owner_id);
      const row: PreferenceRow = known
        ? strengthened(known, originColumns, now)
        : {
            id,
            owner_id,
            category,
            value,
            ...keys,
            confidence: FIRST_CONFIDENCE,
            count: 1,
            ...originColumns,
            created_at: now,
            updated_at: now,
          };
      await (known ? this.#store.update(db, row) : this.#store.insert(db, row));
      await this.#store.halveOthers(db, row, originColumns.is_trusted);
      return toPreference(row);
    });
  }

  /** `me` is the caller. */
  async list(caller: Caller, userId: string): Promise<Preference[]> {
    const ownerId = await namedOwner(this.#deps.database.read, caller, userId);
    return (await this.#store.list(ownerId)).map(toPreference);
  }

  async remove(caller: Caller, userId: string, id: string): Promise<void> {
    await this.#deps.database.write(async (transaction) => {
      const { db } = transaction;
      const ownerId = await namedOwner(db, caller, userId);
      if (!(await this.#store.remove(db, ownerId, id)))
        throw new AppError('not_found', 'Preference not found');
      await caller.auditEntry?.append(transaction);
    });
  }
}

function strengthened(
  known: PreferenceRow,
  originColumns: ReturnType<typeof toOriginColumns>,
  updated_at: string,
): PreferenceRow {
  const row = { ...known, count: known.count + 1, updated_at };
  if (originColumns.is_trusted < known.is_trusted) return row;
  const confidence = Math.min(MAX_CONFIDENCE, known.confidence + (1 - known.confidence) / 2);
  return { ...row, confidence, ...(originColumns.is_trusted > known.is_trusted && originColumns) };
}

const toPreference = (row: PreferenceRow): Preference => ({
  id: row.id,
  userId: row.owner_id,
  category: row.category,
  value: row.value,
  confidence: row.confidence,
  count: row.count,
  origin: toOrigin(row),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
