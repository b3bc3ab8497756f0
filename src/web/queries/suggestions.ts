import { queryOptions } from '@tanstack/react-query';
import { client } from '../client.ts';

const RECENT = 200;

/** What the newest tasks had, to be offered again; the most recent first. */
export const suggestionsQuery = queryOptions({
  queryKey: ['suggestions'],
  queryFn: async () => {
    const { tasks } = await client.tasks.filter({
      query: { limit: RECENT, fields: 'id,cwd,repository,labels' },
    });
    return {
      directories: different(tasks.map(({ cwd }) => cwd)),
      repositories: different(tasks.map(({ repository }) => repository)),
      labels: different(tasks.flatMap(({ labels = [] }) => labels)),
    };
  },
});

const different = (values: (string | undefined)[]): string[] =>
  [...new Set(values)].filter((value) => value !== undefined).slice(0, 30);
