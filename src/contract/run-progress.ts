import { z } from 'zod';

/** How far the run of a task is; what its agent does not report is absent. */
export const runProgressSchema = z
  .object({
    step: z.int().optional(),
    tokens: z.int().optional().meta({ description: 'Input and output of the run so far' }),
    cost: z.string().optional().meta({ description: 'USD of the run so far, as a decimal string' }),
  })
  .meta({ id: 'RunProgress' });
export type RunProgress = z.output<typeof runProgressSchema>;
