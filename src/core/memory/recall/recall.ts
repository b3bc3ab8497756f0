import type { Config } from '../../config/config.ts';
import type { Surroundings } from '../../surroundings.ts';
import type { ExperienceService } from '../learned/experience-service.ts';
import type { PreferenceService } from '../learned/preference-service.ts';
import type { MemoryService } from '../memory-service.ts';

export interface RecallParts {
  config: Config;
  memory: Pick<MemoryService, 'search' | 'isEmpty'>;
  experiences: Pick<ExperienceService, 'search'>;
  preferences: Pick<PreferenceService, 'list'>;
  surroundings: Surroundings;
}

/** One thing that was remembered, as an answer tells of it. */
export interface Remembered {
  kind: 'chunk' | 'experience' | 'preference';
  id: string;
  text: string;
  score: number;
  path?: string;
}

/** What of the memory fits a question, for a model to be told. */
export class Recall {
  readonly #parts: RecallParts;
  constructor(parts: RecallParts) {
    this.#parts = parts;
  }

  /** Never fails a run: what cannot be read is left out. `text` is fenced as data, with the origin of each part. */
  async about(
    _userId: string,
    _question: string,
    _rules: { trustedOnly: boolean; signal: AbortSignal },
  ): Promise<{ text: string | undefined; memory: Remembered[] }> {
    void this.#parts;
    return { text: undefined, memory: [] };
  }
}
