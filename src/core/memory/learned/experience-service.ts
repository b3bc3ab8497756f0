import type {
  Experience,
  ListExperiencesQuery,
  Origin,
  RecordExperience,
} from '../../../contract/experiences.ts';
import type { SearchMethod } from '../../../contract/memory.ts';
import { type Caller, requireOwned, visibleOwner } from '../../auth/caller.ts';
import { AppError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { Database } from '../../storage/database.ts';
import type { ExperienceRow } from '../../storage/memory-rows.ts';
import type { Runtime } from '../../runtime.ts';
import type { MemoryService } from '../memory-service.ts';
import { newExperience, toEntry, toExperience } from './experience-mapping.ts';
import { ExperienceStore } from './experience-store.ts';
import { findNearTwin } from './near-duplicate.ts';
import { requireConversationOf } from './named-owner.ts';
import { ownWords } from './origin.ts';
import { decayedWeight, fitness, usedWeight } from './weight.ts';
import { knownAlready, passGate } from './write-gate.ts';

const MOST_PER_USER = 10_000;
/** Rows per transaction, and per message to the index: others get through between. */
const PAGE = 500;
/** Weight orders what was found, so a few more are looked at than are asked for. */
const LOOKED_AT = 2;

export interface ExperienceServiceDeps {
  database: Database;
  runtime: Runtime;
  /** Finds them again. */
  entries: MemoryService['entries'];
  log: Log;
}

/** What led to a goal before, on behalf of a caller. */
export class ExperienceService {
  readonly #deps: ExperienceServiceDeps;
  readonly #store: ExperienceStore;
  /** Resolves once the newest index knows all that was there when it began. */
  #indexing: Promise<void> | undefined;
  /** Undefined before anybody has looked. */
  #hasAny: boolean | undefined;

  constructor(deps: ExperienceServiceDeps) {
    this.#deps = deps;
    this.#store = new ExperienceStore(deps.database);
  }

  /** True when nobody has learned anything, as far as is known; costs nothing. */
  get isEmpty(): boolean {
    return this.#hasAny === false;
  }

  /** Whether there is anything to find, of everybody unless an owner is given; asks no index. */
  async hasAny(ownerId?: string): Promise<boolean> {
    const isFound = await this.#store.hasAny(ownerId);
    if (isFound || ownerId === undefined) this.#hasAny = isFound;
    return isFound;
  }

  /** The origin is the caller's own words unless given. Throws an `AppError` for what the write gate refuses. */
  async record(
    caller: Caller,
    input: RecordExperience,
    origin: Origin = ownWords(caller),
  ): Promise<Experience> {
    const { database, runtime, entries } = this.#deps;
    const conversationId = input.sourceConversationId ?? origin.conversationId;
    const row = newExperience(
      { id: runtime.newId('exp'), ownerId: caller.userId, at: runtime.now().toISOString() },
      input,
      { ...origin, ...(conversationId !== undefined && { conversationId }) },
    );
    await passGate({ kind: 'experience', ...input, origin, findTwin: () => this.#findNearTwin(row) });
    const replaced = await database.write(async ({ db }) => {
      if (input.sourceConversationId !== undefined)
        await requireConversationOf(db, caller.userId, input.sourceConversationId);
      const twin = await this.#store.findTwin(db, row);
      if (twin && twin.is_trusted >= row.is_trusted) throw knownAlready(twin.id);
      if (twin) await this.#store.remove(db, [twin.id]);
      else if ((await this.#store.countOf(db, caller.userId)) >= MOST_PER_USER)
        throw new AppError(
          'wrong_state',
          `You have ${MOST_PER_USER} experiences; prune those of a low weight to record more`,
        );
      await this.#store.insert(db, row);
      return twin;
    });
    this.#hasAny = true;
    await this.#tell(async () => {
      if (replaced) await entries.remove([replaced.id]);
      await entries.put([toEntry(row)]);
    });
    return toExperience(row);
  }

  /**
   * The caller's own only, also of an administrator, so that nobody is told of what others learned. The score is that
   * of the index, which the weight moves by a twentieth at most.
   */
  async search(
    caller: Caller,
    { q, limit }: { q: string; limit: number },
  ): Promise<{ experiences: (Experience & { score: number })[]; method: SearchMethod }> {
    const { method, found } = await this.#find(caller.userId, q, limit * LOOKED_AT);
    const rows = new Map(
      (await this.#store.findAll(found.map(({ key }) => key)))
        .filter(({ owner_id }) => owner_id === caller.userId)
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
      const row = requireOwned(caller, await this.#store.find(id, db), 'Experience');
      const weight = usedWeight(row.weight);
      await this.#store.use(db, id, weight, at);
      return toExperience({ ...row, weight, use_count: row.use_count + 1, last_used_at: at });
    });
  }

  async remove(caller: Caller, id: string): Promise<void> {
    const { database, entries } = this.#deps;
    await database.write(async ({ db }) => {
      requireOwned(caller, await this.#store.find(id, db), 'Experience');
      await this.#store.remove(db, [id]);
    });
    await this.#tell(() => entries.remove([id]));
  }

  /** Of everybody's for an administrator. Counts each time that has gone by once, however often it is called. */
  async decay(caller: Caller, halfLifeDays: number): Promise<{ decayed: number }> {
    const ownerId = visibleOwner(caller);
    if (ownerId === undefined) return this.decayAll(halfLifeDays);
    return { decayed: await this.#decayOf(ownerId, halfLifeDays) };
  }

  /** Everybody's, a page at a time, as long as the signal lets it. */
  async decayAll(halfLifeDays: number, signal?: AbortSignal): Promise<{ decayed: number }> {
    let decayed = 0;
    for (const ownerId of await this.#store.owners())
      decayed += await this.#decayOf(ownerId, halfLifeDays, signal);
    return { decayed };
  }

  /** Of everybody's for an administrator. */
  async prune(caller: Caller, minWeight: number): Promise<{ pruned: number }> {
    const { database, entries } = this.#deps;
    const ownerId = visibleOwner(caller);
    for (let pruned = 0; ;) {
      const ids = await database.write(async ({ db }) => {
        const light = await this.#store.lighterThan(db, ownerId, minWeight, PAGE);
        if (light.length > 0) await this.#store.remove(db, light);
        return light;
      });
      if (ids.length > 0) await this.#tell(() => entries.remove(ids));
      pruned += ids.length;
      if (ids.length < PAGE) return { pruned };
    }
  }

  /** Gives everything that is to be found to a new index. */
  indexAll(): Promise<void> {
    const indexing = this.#indexPages();
    // Whoever asked for it is told of a failure; a search only waits for the end.
    this.#indexing = indexing.catch(() => undefined);
    return indexing;
  }

  async #indexPages(): Promise<void> {
    const { entries } = this.#deps;
    for (let after = ''; ;) {
      const rows = await this.#store.page(after, PAGE);
      if (rows.length > 0) await entries.put(rows.map(toEntry));
      if (rows.length < PAGE) return;
      after = rows.at(-1)?.id ?? after;
    }
  }

  /** A search may be what starts the index, or starts it again: it is done anew once the index knows everything. */
  async #find(...wish: Parameters<MemoryService['entries']['search']>) {
    for (;;) {
      const indexing = this.#indexing;
      await indexing;
      const found = await this.#deps.entries.search(...wish);
      if (this.#indexing === indexing) return found;
    }
  }

  #findNearTwin(row: ExperienceRow): Promise<string | undefined> {
    const findAll = (ids: string[]) => this.#store.findAll(ids);
    return findNearTwin({ search: (...wish) => this.#find(...wish), findAll, log: this.#deps.log }, row);
  }

  async #decayOf(ownerId: string, halfLifeDays: number, signal?: AbortSignal): Promise<number> {
    const { database, runtime } = this.#deps;
    const now = runtime.now();
    const weighed_at = now.toISOString();
    for (let decayed = 0; ;) {
      if (signal?.aborted) return decayed;
      const count = await database.write(async ({ db }) => {
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

  /** What is stored stands, whatever becomes of the index: the next one is given everything. */
  async #tell(change: () => Promise<void>): Promise<void> {
    try {
      await change();
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'the index could not be told of an experience');
    }
  }
}
