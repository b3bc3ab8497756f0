import type { Origin } from '../../../contract/experiences.ts';
import type { Preference, TrackPreference } from '../../../contract/preferences.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Database } from '../../storage/database.ts';
import type { Surroundings } from '../../surroundings.ts';

export interface PreferenceServiceParts {
  database: Database;
  surroundings: Surroundings;
}

/** What users prefer, on behalf of a caller. */
export class PreferenceService {
  readonly #parts: PreferenceServiceParts;
  constructor(parts: PreferenceServiceParts) {
    this.#parts = parts;
  }

  async track(_caller: Caller, _input: TrackPreference, _origin?: Origin): Promise<Preference> {
    throw new Error(`to be done ${String(this.#parts)}`);
  }

  /** `me` is the caller. */
  async list(_caller: Caller, _userId: string): Promise<Preference[]> {
    return [];
  }

  async remove(_caller: Caller, _userId: string, _id: string): Promise<void> {}
}
