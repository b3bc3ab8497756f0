import type { Experience, ListExperiencesQuery } from '../../../contract/experiences.ts';
import type { Cli } from '../../program/cli.ts';
import { formatAge } from '../../output/duration.ts';
import { formatFacts } from '../../output/facts.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { withId } from '../../ids/resolve-id.ts';
import { idShortener } from '../../output/shorten-ids.ts';
import type { Column } from '../../output/table.ts';
import { originWords } from '../../../contract/origin-words.ts';
import { paintOrigin, formatOriginFully } from './format-origin.ts';

interface Format {
  json?: boolean;
  quiet?: boolean;
}
export interface ListOptions extends Format {
  type?: NonNullable<ListExperiencesQuery['type']>;
  tag?: string;
  minWeight?: number;
  conversation?: string;
  limit?: number;
  offset?: number;
}

/** `svc experiences ls`. */
export async function listExperiences(cli: Cli, options: ListOptions): Promise<void> {
  const { output } = cli;
  const { type, tag, minWeight, conversation, limit, offset = 0, json, quiet } = options;
  const filters = {
    ...(type && { type }),
    ...(tag !== undefined && { tag }),
    ...(minWeight !== undefined && { minWeight }),
    ...(conversation !== undefined && { conversationId: conversation }),
  };
  const answer = await cli.connect().client.experiences.list({
    query: { ...filters, offset, ...(limit !== undefined && { limit }) },
  });
  if (json) return output.json(answer);
  const { experiences, total } = answer;
  if (quiet) return output.write(experiences.map(({ id }) => `${id}\n`).join(''));
  if (experiences.length === 0)
    return output.note(
      Object.keys(filters).length === 0
        ? 'No experiences yet. Record one: svc experiences record "deploy the docs" --step "npm run build"'
        : 'No matching experiences. List all: svc experiences ls',
    );
  output.table(columns(cli, experiences), experiences);
  if (offset + experiences.length < total)
    output.note(output.paintError('dim', `${experiences.length} of ${total}. More: --limit, --offset`));
}

/** `svc experiences search QUERY…`. */
export async function searchExperiences(
  cli: Cli,
  words: string[],
  { limit, json, quiet }: Format & { limit?: number },
): Promise<void> {
  const { output } = cli;
  const answer = await cli.connect().client.experiences.search({
    query: { q: words.join(' '), ...(limit !== undefined && { limit }) },
  });
  if (json) return output.json(answer);
  const { experiences } = answer;
  if (quiet) return output.write(experiences.map(({ id }) => `${id}\n`).join(''));
  if (experiences.length === 0)
    return output.note('Nothing found. Try other words, or see all: svc experiences ls');
  output.table<Experience & { score: number }>(
    [
      { title: 'SCORE', value: ({ score }) => score.toFixed(2), align: 'right' },
      ...columns(cli, experiences),
    ],
    experiences,
  );
  output.note(output.paintError('dim', 'Show one: svc experiences show ID'));
}

/** `svc experiences show ID`. */
export async function showExperience(cli: Cli, text: string, { json }: Format): Promise<void> {
  const { output } = cli;
  const { client } = cli.connect();
  const { answer } = await withId(text, idsOf(client, 'experience'), (id) =>
    client.experiences.get({ params: { id } }),
  );
  if (json) return output.json(answer);
  const { experience } = answer;
  const { useCount, lastUsedAt, createdAt, solution } = experience;
  const now = Date.now();
  const used = lastUsedAt === undefined ? '' : `, last ${formatAge(lastUsedAt, now)}`;
  output.write(
    formatFacts(
      [
        ['ID', experience.id],
        ['Type', experience.type],
        ['Goal', experience.intent],
        ['Tags', experience.tags.join(', ')],
        ['Success', experience.successScore.toFixed(2)],
        ['Weight', experience.weight.toFixed(2)],
        ['Used', useCount === 0 ? 'never' : `${useCount === 1 ? 'once' : `${useCount} times`}${used}`],
        ['From', formatOriginFully(experience.origin)],
        ['Recorded', `${createdAt}  (${formatAge(createdAt, now)})`],
        ['Steps', solution.flatMap((step, at) => numbered(step, at + 1, String(solution.length).length))],
      ],
      output.paint,
    ),
  );
}

/** The lines of a step, the first one with its number. */
const numbered = (step: string, number: number, width: number) =>
  step.split('\n').map((line, at) => `${(at === 0 ? `${number}.` : '').padEnd(width + 1)} ${line}`);

function columns({ output }: Cli, rows: readonly Experience[]): Column<Experience>[] {
  const now = Date.now();
  const short = idShortener(output, rows);
  return [
    { title: 'ID', value: ({ id }) => short(id) },
    { title: 'WEIGHT', value: ({ weight }) => weight.toFixed(2), align: 'right' },
    { title: 'USED', value: ({ useCount }) => String(useCount), align: 'right', fromWidth: 90 },
    { title: 'AGE', value: ({ createdAt }) => formatAge(createdAt, now).replace(/ ago$/, '') },
    { title: 'TYPE', value: ({ type }) => type, fromWidth: 100 },
    {
      title: 'FROM',
      value: ({ origin }) => originWords(origin),
      paint: (cell, { origin }) => paintOrigin(output.paint, cell, origin),
    },
    { title: 'TAGS', value: ({ tags }) => tags.join(' '), isElastic: true, fromWidth: 110 },
    { title: 'GOAL', value: ({ intent }) => intent, isElastic: true },
  ];
}
