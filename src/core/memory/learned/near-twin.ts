import type { Log } from '../../log.ts';
import type { ExperienceRow } from '../../storage/memory-rows.ts';
import type { MemoryService } from '../memory-service.ts';
import { textOf } from './experience-mapping.ts';
import { likeness } from './fold-text.ts';

const ALIKE = 0.9;
const LOOKED_AT = 20;
const QUERY_LENGTH = 4000;

export interface NearTwinParts {
  /** By words alone: nothing waits for a vendor. */
  search: MemoryService['entries']['search'];
  findAll: (ids: string[]) => Promise<ExperienceRow[]>;
  log: Log;
}

/** The id of an experience of the same owner and type that says nearly the same, and is trusted as much. */
export async function findNearTwin(
  { search, findAll, log }: NearTwinParts,
  row: ExperienceRow,
): Promise<string | undefined> {
  const text = textOf(row);
  try {
    const { found } = await search(row.owner_id, text.slice(0, QUERY_LENGTH), LOOKED_AT, 'keyword');
    const rows = await findAll(found.map(({ key }) => key));
    return rows.find(
      (other) =>
        other.owner_id === row.owner_id &&
        other.type === row.type &&
        other.is_trusted >= row.is_trusted &&
        likeness(text, textOf(other)) >= ALIKE,
    )?.id;
  } catch (error) {
    // Without the index it is not known; what is said in the same words is found all the same.
    log.warn({ err: error }, 'the index could not be asked for similar experiences');
    return undefined;
  }
}
