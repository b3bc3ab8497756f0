import { z } from 'zod';

/** The type of what compares candidates; it cannot be named as an agent. */
export const bestOfAgent = 'best-of';

/** Who chooses among the candidates that succeeded. */
export const pickSchema = z.enum(['verify', 'judge', 'person']);
export type Pick = z.output<typeof pickSchema>;

/** Asks for several candidates of one task, of which one is chosen. */
export const bestOfSchema = z
  .object({
    agents: z
      .array(z.string().min(1).max(100))
      .min(1)
      .max(8)
      .optional()
      .meta({ description: 'Agents that take turns; the agent of the task unless set' }),
    count: z.int().min(2).max(8).meta({ description: 'The number of candidates' }),
    pick: pickSchema.default('verify').meta({
      description:
        'Who chooses among those that completed: `verify` by repairs and changed lines, `judge` a model, `person` you',
    }),
  })
  .refine(({ agents = [], count }) => agents.length <= count, {
    path: ['count'],
    message: 'Expected at least one candidate for each agent',
  })
  .meta({ id: 'BestOf' });
export type BestOf = z.output<typeof bestOfSchema>;

/** The candidate that was chosen, and why. */
export const choiceSchema = z
  .object({
    candidateId: z.string(),
    by: pickSchema.meta({ description: '`verify` also if one candidate was left, or no one else chose' }),
    reason: z.string(),
  })
  .meta({ id: 'Choice' });
export type Choice = z.output<typeof choiceSchema>;
