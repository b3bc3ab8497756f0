import { z } from 'zod';
import { queryInt } from './primitives.ts';

export const outputNameSchema = z.enum(['stdout', 'stderr']);
export type OutputName = z.output<typeof outputNameSchema>;

export const taskOutputQuerySchema = z.object({
  stream: outputNameSchema.default('stdout'),
  offset: queryInt(0, Number.MAX_SAFE_INTEGER)
    .default(0)
    .meta({ description: 'The first byte to return, counted from 0' }),
  follow: z.stringbool().optional().meta({
    description: 'Whether the response continues until the attempt in progress has ended',
  }),
});
export type TaskOutputQuery = z.output<typeof taskOutputQuerySchema>;
