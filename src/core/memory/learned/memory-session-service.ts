import type {
  CreateMemorySession,
  ListMemorySessionsQuery,
  MemorySession,
} from '../../../contract/memory.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Database } from '../../storage/database.ts';
import type { Surroundings } from '../../surroundings.ts';

export interface MemorySessionServiceParts {
  database: Database;
  surroundings: Surroundings;
}

/** Named stretches of work, on behalf of a caller. */
export class MemorySessionService {
  readonly #parts: MemorySessionServiceParts;
  constructor(parts: MemorySessionServiceParts) {
    this.#parts = parts;
  }

  async list(
    _caller: Caller,
    query: ListMemorySessionsQuery,
  ): Promise<{ sessions: MemorySession[]; total: number; limit: number; offset: number }> {
    return { sessions: [], total: 0, limit: query.limit, offset: query.offset };
  }

  async create(_caller: Caller, _input: CreateMemorySession): Promise<MemorySession> {
    throw new Error(`to be done ${String(this.#parts)}`);
  }

  async archive(_caller: Caller, _id: string): Promise<MemorySession> {
    throw new Error('to be done');
  }
}
