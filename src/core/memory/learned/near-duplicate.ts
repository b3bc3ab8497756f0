import type { Log } from '../../log.ts';
import type { ExperienceRow } from '../../storage/memory-rows.ts';
import type { MemoryService } from '../memory-service.ts';
import { textOf } from './experience-mapping.ts';
import { likeness, shapeOf } from './fold-text.ts';

const ALIKE = 0.9;
/** By how much the text of something nearly the same may be longer or shorter. */
const LONGER = 0.3;
/** What says nearly the same is among the first that are found; each comparison of long texts takes its time. */
const LOOKED_AT = 20;
const COMPARED = 5;
const QUERY_LENGTH = 4000;

export interface NearTwinDeps {
  /** By words alone: nothing waits for a vendor. */
  search: MemoryService['entries']['search'];
  findAll: (ids: string[]) => Promise<ExperienceRow[]>;
  log: Log;
}

/** The id of an experience of the same owner and type that says nearly the same, and is trusted as much. */
export async function findNearTwin(
  { search, findAll, log }: NearTwinDeps,
  row: ExperienceRow,
): Promise<string | undefined> {
  const text = textOf(row);
  try {
    const { found } = await search(row.owner_id, text.slice(0, QUERY_LENGTH), LOOKED_AT, 'keyword');
    const rows = new Map((await findAll(found.map(({ key }) => key))).map((other) => [other.id, other]));
    const shape = shapeOf(text);
    return found
      .flatMap(({ key }) => rows.get(key) ?? [])
      .filter(
        (other) =>
          other.owner_id === row.owner_id &&
          other.type === row.type &&
          other.is_trusted >= row.is_trusted &&
          Math.abs(other.solution.length - row.solution.length) <= LONGER * row.solution.length + 50,
      )
      .slice(0, COMPARED)
      .find((other) => likeness(shape, shapeOf(textOf(other))) >= ALIKE)?.id;
  } catch (error) {
    // Without the index it is not known; what is said in the same words is found all the same.
    log.warn({ err: error }, 'the index could not be asked for similar experiences');
    return undefined;
  }
}
