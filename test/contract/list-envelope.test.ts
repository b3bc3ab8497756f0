import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startDaemon } from '../helpers/daemon.ts';
import { allRoutes } from '../helpers/routes.ts';

/** Lists whose answer the interface states, or that are no lists of objects. */
const stated = new Set([
  'agents.list',
  'agents.listTypes',
  'chat.listModels',
  'providers.list',
  'providers.listModels',
  'tasks.list',
  'tasks.listEvents',
  'memory.listChunks',
  'experiences.search',
  'pairing.listPending',
  'guards.list',
  'approvals.list',
  'webhooks.list',
  // That of OpenAI states it.
  'openai.listModels',
]);
/** One object that holds an array among other fields. */
const objects = new Set([
  'auth.getMe',
  'cluster.get',
  'conversations.get',
  'conversations.getChanges',
  'data.getUsage',
  'data.getWorktreeOrphans',
  'health.getDetailed',
  'health.getMetrics',
  'inbox.get',
  'integrations.getGithub',
  'integrations.getJira',
  'integrations.getLinear',
  'integrations.getWebSearch',
  'memory.getStats',
  'policy.get',
  'queue.getStatus',
  'tasks.getAnalytics',
  'tasks.getCandidates',
  'tasks.getChanges',
  'tasks.getChecks',
  'tasks.getTrace',
  'tasks.listChangedFiles',
  'tasks.searchOutput',
  'tasks.export',
]);

const withArray = allRoutes.filter(
  ({ route }) =>
    route.method === 'GET' &&
    route.response instanceof z.ZodObject &&
    Object.values(route.response.shape).some((field) => field instanceof z.ZodArray),
);
const lists = withArray.filter(({ name }) => !stated.has(name) && !objects.has(name));

describe('a list whose answer the interface does not state', () => {
  it.each(lists.map(({ name, route }) => [name, route] as const))(
    'a list takes limit and offset, and returns them with the total: %s',
    (_, { query, response }) => {
      expect(Object.keys(query?.shape ?? {})).toEqual(expect.arrayContaining(['limit', 'offset']));
      expect(response).toHaveProperty('shape.total');
      expect(response).toHaveProperty('shape.limit');
      expect(response).toHaveProperty('shape.offset');
    },
  );

  it('a short list returns everything unless a limit is given', async () => {
    await using daemon = await startDaemon();
    const { config } = daemon.client;
    const all = await config.list();
    expect(all).toMatchObject({ total: all.settings.length, limit: all.settings.length, offset: 0 });
    const page = await config.list({ query: { limit: 2, offset: 1 } });
    expect(page).toEqual({
      settings: all.settings.slice(1, 3),
      total: all.total,
      limit: 2,
      offset: 1,
    });
    await expect(config.list({ query: { limit: 501 } })).rejects.toMatchObject({ status: 400 });
  });
});
