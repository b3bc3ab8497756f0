import { z } from 'zod';
import { limitSchema, offsetSchema, pageFields, pageQuerySchema } from './primitives.ts';
import { budgetStatusSchema } from './budgets.ts';
import { listedPriceSchema } from './prices.ts';
import { defineRoutes } from './route.ts';

/** What usage can be added up by. */
export const usageGroups = [
  'day',
  'month',
  'agent',
  'model',
  'provider',
  'user',
  'token',
  'repository',
  'task',
  'conversation',
] as const;
export const usageGroupSchema = z.enum(usageGroups);
export type UsageGroup = z.output<typeof usageGroupSchema>;

export const usageSumSchema = z
  .object({
    inputTokens: z.int().meta({ description: 'Cached tokens included' }),
    outputTokens: z.int(),
    cachedTokens: z.int().meta({ description: 'Input that the vendor had cached' }),
    calls: z.int(),
    costUsd: z.number().meta({ description: 'The cost of the calls whose cost is known, in USD' }),
    unknownCalls: z.int().meta({ description: 'How many calls have a cost that is not known' }),
  })
  .meta({ id: 'UsageSum' });
export type UsageSum = z.output<typeof usageSumSchema>;

export const usageEntrySchema = z
  .object({
    key: z.string().meta({
      description:
        'The day (`YYYY-MM-DD`), the month (`YYYY-MM`), the agent, the model as `provider/model`, the provider, the repository, or the id of the user, token, task or conversation; empty where there is none',
    }),
    name: z.string().optional().meta({ description: 'The name or title of what the key identifies' }),
    ...usageSumSchema.shape,
  })
  .meta({ id: 'UsageEntry' });
export type UsageEntry = z.output<typeof usageEntrySchema>;

const text = z.string().max(300);
const day = z.iso.date().refine((date) => date >= '2000', 'Expected a day since 2000-01-01');
const filters = {
  from: day.optional().meta({ description: 'The first day (UTC); 30 days back unless given' }),
  to: day.optional().meta({ description: 'The last day (UTC); today unless given' }),
  by: usageGroupSchema.default('day'),
  agent: text.optional(),
  model: text.optional().meta({ description: 'As `provider/model`' }),
  provider: text.optional(),
  userId: text.optional(),
  tokenId: text.optional(),
  repository: text.optional(),
  taskId: text.optional(),
  conversationId: text.optional(),
};
export const listUsageQuerySchema = z.object({
  ...filters,
  limit: limitSchema(100, 500),
  offset: offsetSchema.default(0),
});
export type ListUsageQuery = z.output<typeof listUsageQuerySchema>;
export const usageCsvQuerySchema = z.object(filters);
export type UsageCsvQuery = z.output<typeof usageCsvQuerySchema>;

export const usageRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/api/usage',
    access: 'session',
    summary: 'Show what models used and cost, for an administrator that of everyone',
    query: listUsageQuerySchema,
    response: z.object({
      usage: z.array(usageEntrySchema),
      ...pageFields,
      from: z.iso.date(),
      to: z.iso.date(),
      by: usageGroupSchema,
      sum: usageSumSchema.meta({ description: 'Of everything that the filters match' }),
    }),
  },
  listBudgets: {
    method: 'GET',
    path: '/api/usage/budgets',
    access: 'session',
    summary: 'List the budgets and how much of each is used',
    query: pageQuerySchema,
    response: z.object({ budgets: z.array(budgetStatusSchema), ...pageFields }),
  },
  listPrices: {
    method: 'GET',
    path: '/api/usage/prices',
    access: 'session',
    summary: 'List the prices of models, with their day and source',
    query: pageQuerySchema,
    response: z.object({ prices: z.array(listedPriceSchema), ...pageFields }),
  },
  getCsv: {
    method: 'GET',
    path: '/api/usage/csv',
    access: 'session',
    summary: 'Download what models used and cost as CSV',
    query: usageCsvQuerySchema,
    response: z.string(),
    file: 'text/csv',
  },
});
