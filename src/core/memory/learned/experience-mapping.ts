import type { Experience, Origin, CreateExperience } from '../../../contract/experiences.ts';
import type { ExperienceRow } from '../../storage/rows/memory.ts';
import { storableJson } from '../../storage/storable-text.ts';
import type { IndexEntry } from '../index/index-calls.ts';
import { contentKey } from './fold-text.ts';
import { toOrigin, toOriginColumns } from './origin.ts';
import { firstWeight } from './weight.ts';

const stepsOf = ({ solution }: Pick<ExperienceRow, 'solution'>) => JSON.parse(solution) as string[];
const tagsOf = ({ tags }: Pick<ExperienceRow, 'tags'>) => JSON.parse(tags) as string[];

export function newExperience(
  { id, ownerId, at, project }: { id: string; ownerId: string; at: string; project?: string | undefined },
  input: CreateExperience,
  origin: Origin,
): ExperienceRow {
  return {
    id,
    owner_id: ownerId,
    type: input.type,
    intent: input.intent,
    solution: JSON.stringify(input.solution),
    success_score: input.successScore,
    tags: storableJson([...new Set(input.tags)]),
    weight: firstWeight,
    weighed_at: at,
    use_count: 0,
    last_used_at: null,
    project: project ?? null,
    // The same lesson may be learned in two projects.
    content_key: contentKey(input.type, [
      ...(project === undefined ? [] : [project]),
      input.intent,
      ...input.solution,
    ]),
    // What a person says needs no verification.
    is_verified: origin.kind === 'user' || origin.verified ? 1 : 0,
    ...toOriginColumns(origin),
    created_at: at,
  };
}

export const toExperience = (row: ExperienceRow): Experience => ({
  id: row.id,
  type: row.type as Experience['type'],
  intent: row.intent,
  solution: stepsOf(row),
  successScore: row.success_score,
  tags: tagsOf(row),
  weight: row.weight,
  useCount: row.use_count,
  ...(row.last_used_at !== null && { lastUsedAt: row.last_used_at }),
  ...(row.source_conversation_id !== null && { sourceConversationId: row.source_conversation_id }),
  ...(row.project !== null && { project: row.project }),
  origin: {
    ...toOrigin(row),
    ...(row.origin !== 'user' && { verified: row.is_verified === 1 }),
  },
  createdAt: row.created_at,
});

/** The search entry of an experience. */
export const toEntry = (row: ExperienceRow): IndexEntry => ({
  key: row.id,
  ownerId: row.owner_id,
  title: row.intent,
  body: stepsOf(row).join('\n'),
  tags: tagsOf(row),
});

export const textOf = (row: Pick<ExperienceRow, 'intent' | 'solution'>): string =>
  [row.intent, ...stepsOf(row)].join('\n');
