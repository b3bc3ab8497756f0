import { z } from 'zod';

export const budgetScopes = ['all', 'task', 'agent', 'token', 'user', 'repository'] as const;
export const budgetPeriods = ['run', 'day', 'month'] as const;

const tokens = z.int().min(1000).max(1_000_000_000_000);
const usd = z.number().positive().max(1_000_000);

/** Signs of other kinds of patterns, which would match nothing here. */
const foreignSigns = /[?[\]{}!,\s]/;

function problemOfMatch({
  scope,
  match,
}: {
  scope: (typeof budgetScopes)[number];
  match?: string | undefined;
}) {
  if (match === undefined) return undefined;
  if (scope === 'all') return 'The scope all has nothing to match';
  if (scope === 'task' || scope === 'token')
    return match.includes('*')
      ? `Expected the id of a ${scope}; * is for agents, repositories and users`
      : undefined;
  if (foreignSigns.test(match))
    return 'Expected one name, in which * stands for any text; other patterns, such as ? and {a,b}, and lists are not supported';
  if (scope === 'user' && match.includes('*') && !match.includes('@') && match !== '*')
    return 'Expected a pattern of e-mail addresses, such as *@example.com';
  return undefined;
}

/** A limit of what models may use. */
export const budgetSchema = z
  .strictObject({
    scope: z.enum(budgetScopes),
    match: z.string().min(1).max(300).optional().meta({
      description:
        'The agent, the repository, the user by id or e-mail address, or the id of the task or token; `*` in the name of an agent or repository, or in an address, stands for any text, and all that match share the budget; without a match, each one has this budget',
    }),
    period: z.enum(budgetPeriods).meta({
      description: '`run`: a task with all its attempts; `day` and `month`: in UTC',
    }),
    tokens: tokens.optional(),
    usd: usd.optional(),
    onReached: z.enum(['stop', 'ask']).default('stop').meta({
      description:
        '`ask`: a task or a message waits until a person decides; a call at /v1 is refused until a person allows more; everything else is stopped',
    }),
  })
  .refine((budget) => budget.tokens !== undefined || budget.usd !== undefined, 'Expected tokens or usd')
  .superRefine((budget, context) => {
    const message = problemOfMatch(budget);
    if (message !== undefined) context.addIssue({ code: 'custom', path: ['match'], message });
  });
export type Budget = z.output<typeof budgetSchema>;

export const budgetStatusSchema = z
  .object({
    name: z.string().meta({ description: 'Such as: the budget of the day of claude' }),
    scope: z.enum(budgetScopes),
    key: z.string().optional().meta({
      description:
        'Whose usage is counted: the agent, the repository, an id, or the pattern of those that share it; absent for all together',
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
