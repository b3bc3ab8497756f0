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
  constructor(parts: ExperienceServiceParts) {
    this.#parts = parts;
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
