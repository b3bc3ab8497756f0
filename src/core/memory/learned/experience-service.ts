import type {
  Experience,
  ListExperiencesQuery,
  Origin,
  RecordExperience,
} from '../../../contract/experiences.ts';
import type { SearchMethod } from '../../../contract/memory.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Database } from '../../storage/database.ts';
import type { Surroundings } from '../../surroundings.ts';
import type { MemoryService } from '../memory-service.ts';

export interface ExperienceServiceParts {
  database: Database;
  surroundings: Surroundings;
  /** Finds them again. */
  entries: MemoryService['entries'];
}

/** What led to a goal before, on behalf of a caller. */
export class ExperienceService {
  readonly #parts: ExperienceServiceParts;
  /** Undefined before anybody has looked. */
  #hasAny: boolean | undefined;
  constructor(parts: ExperienceServiceParts) {
    this.#parts = parts;
  }

  /** True when nobody has learned anything, as far as is known; costs nothing. */
  get isEmpty(): boolean {
    return this.#hasAny === false;
  }

  /** Whether there is anything to find, of everybody unless an owner is given; asks no index. */
  async hasAny(ownerId?: string): Promise<boolean> {
    let query = this.#parts.database.read.selectFrom('experiences').select('id').limit(1);
    if (ownerId !== undefined) query = query.where('owner_id', '=', ownerId);
    const isFound = (await query.executeTakeFirst()) !== undefined;
    if (isFound || ownerId === undefined) this.#hasAny = isFound;
    return isFound;
  }

  /** The origin is the caller's own words unless given. Throws an `AppError` for what the write gate refuses. */
  async record(_caller: Caller, _input: RecordExperience, _origin?: Origin): Promise<Experience> {
    throw new Error(`to be done ${String(this.#parts)}`);
  }

  /** The caller's own only, also of an administrator, so that nobody is told of what others learned. */
  async search(
    _caller: Caller,
    _query: { q: string; limit: number },
  ): Promise<{ experiences: (Experience & { score: number })[]; method: SearchMethod }> {
    return { experiences: [], method: 'keyword' };
  }

  async list(
    _caller: Caller,
    query: ListExperiencesQuery,
  ): Promise<{ experiences: Experience[]; total: number; limit: number; offset: number }> {
    return { experiences: [], total: 0, limit: query.limit, offset: query.offset };
  }

  async get(_caller: Caller, _id: string): Promise<Experience> {
    throw new Error('to be done');
  }

  async use(_caller: Caller, _id: string): Promise<Experience> {
    throw new Error('to be done');
  }

  async remove(_caller: Caller, _id: string): Promise<void> {}

  /** Of everybody's for an administrator. */
  async decay(_caller: Caller, _halfLifeDays: number): Promise<{ decayed: number }> {
    return { decayed: 0 };
  }

  async prune(_caller: Caller, _minWeight: number): Promise<{ pruned: number }> {
    return { pruned: 0 };
  }

  /** Gives everything that is to be found to a new index. */
  async indexAll(): Promise<void> {}
}
