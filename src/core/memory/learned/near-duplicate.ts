import type { Log } from '../../log.ts';
import type { ExperienceRow } from '../../storage/rows/memory.ts';
import type { MemoryService } from '../memory-service.ts';
import { textOf } from './experience-mapping.ts';
import { similarity, shapeOf } from './fold-text.ts';

const MIN_SIMILARITY = 0.9;
/** The maximum difference in length of near duplicates. */
const MAX_LENGTH_DIFFERENCE = 0.3;
/** A near duplicate is among the first hits, and comparing long texts takes time. */
const MAX_CANDIDATES = 20;
const MAX_COMPARED = 5;
const QUERY_LENGTH = 4000;

export interface NearDuplicateDeps {
  /** Keyword search only, so that no provider is involved. */
  search: MemoryService['entries']['search'];
  findAll: (ids: string[]) => Promise<ExperienceRow[]>;
  log: Log;
}

/** Finds an experience of the same owner and type with nearly the same text that is at least as trusted and verified. */
export async function findNearDuplicate(
  { search, findAll, log }: NearDuplicateDeps,
  row: ExperienceRow,
): Promise<string | undefined> {
  const text = textOf(row);
  try {
    const { found } = await search(row.owner_id, text.slice(0, QUERY_LENGTH), MAX_CANDIDATES, 'keyword');
    const rows = new Map((await findAll(found.map(({ key }) => key))).map((other) => [other.id, other]));
    const shape = shapeOf(text);
    return found
      .flatMap(({ key }) => rows.get(key) ?? [])
      .filter(
        (other) =>
          other.owner_id === row.owner_id &&
          other.type === row.type &&
          other.project === row.project &&
          other.is_trusted >= row.is_trusted &&
          other.is_verified >= row.is_verified &&
          Math.abs(other.solution.length - row.solution.length) <=
            MAX_LENGTH_DIFFERENCE * row.solution.length + 50,
      )
      .slice(0, MAX_COMPARED)
      .find((other) => similarity(shape, shapeOf(textOf(other))) >= MIN_SIMILARITY)?.id;
  } catch (error) {
    // Without the index only exact duplicates are found.
    log.warn({ err: error }, 'the index could not be searched for similar experiences');
    return undefined;
  }
}
