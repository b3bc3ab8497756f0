import { z } from 'zod';

export const budgetScopes = ['all', 'task', 'agent', 'token', 'user', 'repository'] as const;
export const budgetPeriods = ['run', 'day', 'month'] as const;

const tokens = z.int().min(1000).max(1_000_000_000_000);
const usd = z.number().positive().max(1_000_000);

/** A limit of what models may use. */
export const budgetSchema = z
  .strictObject({
    scope: z.enum(budgetScopes),
    match: z.string().min(1).max(300).optional().meta({
      description:
        'The agent, the repository, or the id of the task, token or user; without it, each one has this budget',
    }),
    period: z.enum(budgetPeriods).meta({
      description: '`run`: a task with all its attempts; `day` and `month`: in UTC',
    }),
    tokens: tokens.optional(),
    usd: usd.optional(),
    onReached: z.enum(['stop', 'ask']).default('stop').meta({
      description: '`ask`: the task waits until a person decides; everything else is stopped',
    }),
  })
  .refine((budget) => budget.tokens !== undefined || budget.usd !== undefined, 'Expected tokens or usd')
  .refine(({ scope, match }) => scope !== 'all' || match === undefined, 'The scope all has nothing to match');
export type Budget = z.output<typeof budgetSchema>;

export const budgetStatusSchema = z
  .object({
    name: z.string().meta({ description: 'Such as: the budget of the day of claude' }),
    scope: z.enum(budgetScopes),
    key: z.string().optional().meta({
      description: 'Whose usage is counted: the agent, the repository, or an id; absent for all together',
    }),
    period: z.enum(budgetPeriods),
    tokens: z.int().optional(),
    usd: z.number().optional(),
    onReached: z.enum(['stop', 'ask']),
    usedTokens: z.int().optional().meta({ description: 'Absent where each task has its own count' }),
    usedUsd: z.number().optional(),
    share: z.number().optional().meta({ description: 'How much of it is used: 1 is all of it' }),
    resetsAt: z.iso.datetime().optional(),
    setBy: z.string().meta({ description: 'The setting, or `token`' }),
  })
  .meta({ id: 'BudgetStatus' });
export type BudgetStatus = z.output<typeof budgetStatusSchema>;
