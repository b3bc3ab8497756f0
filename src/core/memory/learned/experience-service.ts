import type {
  Experience,
  ListExperiencesQuery,
  Origin,
  CreateExperience,
} from '../../../contract/experiences.ts';
import type { SearchMethod } from '../../../contract/memory.ts';
import type { PendingEntry } from '../../audit/pending-entry.ts';
import { type Caller, requireOwned, visibleOwner } from '../../auth/caller.ts';
import { type PerUserLimit, requireRoom } from '../../limits/per-user-limit.ts';
import type { Log } from '../../log.ts';
import type { Database } from '../../storage/database.ts';
import type { ExperienceRow } from '../../storage/rows/memory.ts';
import type { Runtime } from '../../runtime.ts';
import { isInScope, type MemoryScope } from '../memory-scope.ts';
import type { MemoryService } from '../memory-service.ts';
import type { ExperienceChanges } from './experience-changes.ts';
import { newExperience, toEntry, toExperience } from './experience-mapping.ts';
import { ExperienceStore } from './experience-store.ts';
import { findNearDuplicate } from './near-duplicate.ts';
import { requireConversationOf } from './require-conversation-of.ts';
import { userOrigin } from './origin.ts';
import { decayedWeight, fitness, usedWeight } from './weight.ts';
import { duplicateError, checkWrite } from './write-gate.ts';

const perUser: PerUserLimit = {
  table: 'experiences',
  max: 10_000,
  noun: 'experiences',
  remedy: 'Prune some first: svc experiences prune',
};
/** Rows per transaction and per index call, so that others get through in between. */
const PAGE = 500;
/** The weight reorders the hits, so more than the limit are fetched. */
const OVERFETCH = 2;
/** Hits of other projects are left out as well. */
const SCOPED_OVERFETCH = 10;

export interface ExperienceServiceDeps {
  database: Database;
  runtime: Runtime;
  /** The search index. */
  entries: MemoryService['entries'];
  /** Where other daemons change experiences too. */
  changes?: Pick<ExperienceChanges, 'note' | 'last' | 'after'> | undefined;
  log: Log;
}

interface DecayOptions {
  signal?: AbortSignal;
  auditEntry?: PendingEntry | undefined;
}

/** Manages experiences on behalf of a caller. */
export class ExperienceService {
  readonly #deps: ExperienceServiceDeps;
  readonly #store: ExperienceStore;
  /** Resolves once the current index has received all experiences. */
  #indexing: Promise<void> | undefined;
  /** undefined before the first check. */
  #hasAny: boolean | undefined;
  /** The last change that the index has; undefined while it has no experiences. */
  #indexedTo: number | undefined;

  constructor(deps: ExperienceServiceDeps) {
    this.#deps = deps;
    this.#store = new ExperienceStore(deps.database);
  }

  /** True when no user has an experience, as far as is known; answered without a query. */
  get isEmpty(): boolean {
    return this.#hasAny === false;
  }

  /** Whether any experience exists, of all users unless an owner is given; does not use the index. */
  async hasAny(ownerId?: string): Promise<boolean> {
    const isFound = await this.#store.hasAny(ownerId);
    if (isFound || ownerId === undefined) this.#hasAny = isFound;
    return isFound;
  }

  /** By default the origin is the caller. Throws an `AppError` for what the write gate rejects. */
  async record(
    caller: Caller,
    input: CreateExperience,
    origin: Origin = userOrigin(caller),
    project?: string,
  ): Promise<Experience> {
    const { database, runtime, entries, changes } = this.#deps;
    const conversationId = input.sourceConversationId ?? origin.conversationId;
    const row = newExperience(
      { id: runtime.newId('exp'), ownerId: caller.userId, at: runtime.now().toISOString(), project },
      input,
      { ...origin, ...(conversationId !== undefined && { conversationId }) },
    );
    await checkWrite({
      kind: 'experience',
      ...input,
      origin,
      findDuplicate: () => this.#findNearDuplicate(row),
    });
    const replaced = await database.write(async (transaction) => {
      const { db } = transaction;
      if (input.sourceConversationId !== undefined)
        await requireConversationOf(db, caller.userId, input.sourceConversationId);
      await database.engine.lockUser(db, caller.userId);
      const duplicate = await this.#store.findDuplicate(db, row);
      if (duplicate && !isBetter(row, duplicate)) throw duplicateError(duplicate.id);
      if (duplicate) await this.#store.remove(db, [duplicate.id]);
      else await requireRoom(database.engine, db, perUser, caller.userId);
      await this.#store.insert(db, row);
      await changes?.note(transaction, [row.id, ...(duplicate ? [duplicate.id] : [])]);
      await caller.auditEntry?.append(transaction, { id: row.id });
      return duplicate;
    });
    this.#hasAny = true;
    await this.#updateIndex(async () => {
      if (replaced) await entries.remove([replaced.id]);
      await entries.put([toEntry(row)]);
    });
    return toExperience(row);
  }

  /**
   * Searches only the caller's experiences, even for an administrator, so that nothing learned from others leaks. The
   * score is that of the index, adjusted by the weight by at most 5 %.
   */
  async search(
    caller: Caller,
    { q, limit, scope = 'all' }: { q: string; limit: number; scope?: MemoryScope },
  ): Promise<{ experiences: (Experience & { score: number })[]; method: SearchMethod }> {
    const { method, found } = await this.#find(
      caller.userId,
      q,
      limit * (scope === 'all' ? OVERFETCH : SCOPED_OVERFETCH),
    );
    const rows = new Map(
      (await this.#store.findAll(found.map(({ key }) => key)))
        .filter(
          ({ owner_id, project }) =>
            owner_id === caller.userId && isInScope(scope, { project: project ?? undefined }),
        )
        .map((row) => [row.id, row]),
    );
    const experiences = found.flatMap(({ key, score }) => {
      const row = rows.get(key);
      return row ? [{ row, fits: fitness(score, row.weight) }] : [];
    });
    experiences.sort((one, other) => other.fits - one.fits || (one.row.id < other.row.id ? 1 : -1));
    return {
      experiences: experiences
        .slice(0, limit)
        .map(({ row, fits }) => ({ ...toExperience(row), score: Math.min(1, fits) })),
      method,
    };
  }

  async list(
    caller: Caller,
    query: ListExperiencesQuery,
  ): Promise<{ experiences: Experience[]; total: number; limit: number; offset: number }> {
    const { rows, total } = await this.#store.list(visibleOwner(caller), query);
    return { experiences: rows.map(toExperience), total, limit: query.limit, offset: query.offset };
  }

  async get(caller: Caller, id: string): Promise<Experience> {
    return toExperience(requireOwned(caller, await this.#store.find(id), 'Experience'));
  }

  async use(caller: Caller, id: string): Promise<Experience> {
    const { database, runtime } = this.#deps;
    const at = runtime.now().toISOString();
    return database.write(async ({ db }) => {
      const row = requireOwned(caller, await this.#store.findLocked(db, id), 'Experience');
      const weight = usedWeight(row.weight);
      await this.#store.use(db, id, weight, at);
      return toExperience({ ...row, weight, use_count: row.use_count + 1, last_used_at: at });
    });
  }

  async remove(caller: Caller, id: string): Promise<void> {
    const { database, entries, changes } = this.#deps;
    await database.write(async (transaction) => {
      requireOwned(caller, await this.#store.findLocked(transaction.db, id), 'Experience');
      await this.#store.remove(transaction.db, [id]);
      await changes?.note(transaction, [id]);
      await caller.auditEntry?.append(transaction);
    });
    await this.#updateIndex(() => entries.remove([id]));
  }

  /** For an administrator decays those of all users. Elapsed time counts once, however often it is called. */
  async decay(caller: Caller, halfLifeDays: number): Promise<{ decayed: number }> {
    const ownerId = visibleOwner(caller);
    const { auditEntry } = caller;
    if (ownerId === undefined) return this.decayAll(halfLifeDays, { auditEntry });
    return { decayed: await this.#decayOf(ownerId, halfLifeDays, { auditEntry }) };
  }

  /** Decays those of all users page by page until the signal aborts. */
  async decayAll(halfLifeDays: number, options: DecayOptions = {}): Promise<{ decayed: number }> {
    let decayed = 0;
    for (const ownerId of await this.#store.owners())
      decayed += await this.#decayOf(ownerId, halfLifeDays, options);
    return { decayed };
  }

  /** For an administrator prunes those of all users. */
  async prune(caller: Caller, minWeight: number): Promise<{ pruned: number }> {
    const { database, entries, changes } = this.#deps;
    const ownerId = visibleOwner(caller);
    for (let pruned = 0; ;) {
      const ids = await database.write(async (transaction) => {
        const { db } = transaction;
        await caller.auditEntry?.append(transaction);
        const light = await this.#store.lighterThan(db, ownerId, minWeight, PAGE);
        if (light.length > 0) await this.#store.remove(db, light);
        await changes?.note(transaction, light);
        return light;
      });
      if (ids.length > 0) await this.#updateIndex(() => entries.remove(ids));
      pruned += ids.length;
      if (ids.length < PAGE) return { pruned };
    }
  }

  /** Sends all experiences to a new index. */
  indexAll(): Promise<void> {
    const indexing = this.#indexPages();
    // The caller sees a failure; a search only waits for the end.
    this.#indexing = indexing.catch(() => undefined);
    return indexing;
  }

  /** Takes over what other daemons have added and removed; an index that is not running is left alone. */
  async pull(isIndexRunning: boolean): Promise<void> {
    const { changes, entries } = this.#deps;
    if (!changes) return;
    await this.#indexing;
    const last = await changes.last();
    if (last === this.#indexedTo) return;
    // An owner without experiences may have some now.
    this.#hasAny = undefined;
    if (!isIndexRunning || this.#indexedTo === undefined) return;
    const ids = await changes.after(this.#indexedTo);
    for (let from = 0; from < ids.length; from += PAGE) {
      const page = ids.slice(from, from + PAGE);
      const rows = await this.#store.findAll(page);
      const found = new Set(rows.map(({ id }) => id));
      await entries.remove(page.filter((id) => !found.has(id)));
      if (rows.length > 0) await entries.put(rows.map(toEntry));
    }
    this.#indexedTo = last;
  }

  async #indexPages(): Promise<void> {
    const { entries, changes } = this.#deps;
    this.#indexedTo = undefined;
    // What changes while the pages are read is pulled afterwards.
    const indexedTo = await changes?.last();
    for (let after = ''; ;) {
      const rows = await this.#store.page(after, PAGE);
      if (rows.length > 0) await entries.put(rows.map(toEntry));
      if (rows.length < PAGE) break;
      after = rows.at(-1)?.id ?? after;
    }
    this.#indexedTo = indexedTo;
  }

  /** A search may (re)start the index, so it is repeated once the index is complete. */
  async #find(...args: Parameters<MemoryService['entries']['search']>) {
    for (;;) {
      const indexing = this.#indexing;
      await indexing;
      const found = await this.#deps.entries.search(...args);
      if (this.#indexing === indexing) return found;
    }
  }

  #findNearDuplicate(row: ExperienceRow): Promise<string | undefined> {
    const findAll = (ids: string[]) => this.#store.findAll(ids);
    return findNearDuplicate({ search: (...args) => this.#find(...args), findAll, log: this.#deps.log }, row);
  }

  async #decayOf(
    ownerId: string,
    halfLifeDays: number,
    { signal, auditEntry }: DecayOptions,
  ): Promise<number> {
    const { database, runtime } = this.#deps;
    const now = runtime.now();
    const weighed_at = now.toISOString();
    for (let decayed = 0; ;) {
      if (signal?.aborted) return decayed;
      const count = await database.write(async (transaction) => {
        const { db } = transaction;
        await auditEntry?.append(transaction);
        const rows = await this.#store.weighedBefore(db, ownerId, weighed_at, PAGE);
        for (const { id, ...row } of rows) {
          const weight = decayedWeight(row.weight, row.weighed_at, now, halfLifeDays);
          await this.#store.weigh(db, { id, weight, weighed_at });
        }
        return rows.length;
      });
      decayed += count;
      if (count < PAGE) return decayed;
    }
  }

  /** The stored row is valid even if the index update fails: a new index receives everything. */
  async #updateIndex(change: () => Promise<void>): Promise<void> {
    try {
      await change();
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'the index could not be updated with an experience');
    }
  }
}

/** Whether an experience may replace another one with the same content: in nothing worse, and in something better. */
const isBetter = (row: ExperienceRow, other: ExperienceRow): boolean =>
  row.is_trusted >= other.is_trusted &&
  row.is_verified >= other.is_verified &&
  row.is_trusted + row.is_verified > other.is_trusted + other.is_verified;
