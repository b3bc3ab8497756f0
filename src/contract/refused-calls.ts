import { z } from 'zod';

/** The calls of a run that would have changed something and were refused: by the policy, a guard or a person. */
export const refusedCallsSchema = z
  .object({
    count: z.int().meta({ description: 'Number of refused calls, including those that are not listed' }),
    calls: z
      .array(
        z.object({
          tool: z.string(),
          call: z.string().meta({ description: 'The tool with its main argument, without secrets' }),
          reason: z.string(),
          count: z.int().meta({ description: 'How often this call was refused for this reason' }),
        }),
      )
      .meta({ description: 'Each call once, up to 50' }),
  })
  .meta({ id: 'RefusedCalls' });
export type RefusedCalls = z.output<typeof refusedCallsSchema>;
