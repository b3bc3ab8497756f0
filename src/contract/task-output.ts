import { z } from 'zod';
import { queryInt } from './primitives.ts';

export const outputNameSchema = z.enum(['stdout', 'stderr']);
export type OutputName = z.output<typeof outputNameSchema>;

/** What can be read of a task: what its program printed, or what its agent said. */
export const outputStreamSchema = z.enum([...outputNameSchema.options, 'text']).meta({
  description:
    '`stdout` and `stderr` of its command; for other agents, `stdout` is the answer. `text` is what an agent says while it works',
});
export type OutputStream = z.output<typeof outputStreamSchema>;

/** A piece of an output stream as text, with its place in the stream. */
export const outputPieceSchema = z.object({
  stream: outputNameSchema,
  offset: z.int().meta({ description: 'Where the text begins in the stream, in bytes' }),
  bytes: z.int().meta({ description: 'How many bytes of the stream the text is' }),
  text: z.string(),
});
export type OutputPiece = z.output<typeof outputPieceSchema>;

const byteOffset = queryInt(0, Number.MAX_SAFE_INTEGER).default(0);

export const taskOutputQuerySchema = z.object({
  stream: outputStreamSchema.default('stdout'),
  offset: byteOffset.meta({ description: 'The first byte to return, counted from 0' }),
  limit: queryInt(1, Number.MAX_SAFE_INTEGER)
    .optional()
    .meta({ description: 'The most bytes to return; all of them unless given' }),
  follow: z.stringbool().optional().meta({
    description: 'Whether the response continues until the attempt in progress has ended',
  }),
});

export const rangeHeadersSchema = z.object({
  range: z.string().max(200).optional().meta({ description: 'A part of the bytes, such as `bytes=0-1023`' }),
  'if-range': z.string().max(200).optional().meta({
    description: 'The `ETag` of an earlier response: if the output is another one, all of it is returned',
  }),
});

export const searchOutputQuerySchema = z.object({
  q: z.string().min(1).max(200).meta({ description: 'The text to find' }),
  stream: outputStreamSchema.default('stdout'),
  caseSensitive: z.stringbool().default(false),
  offset: byteOffset.meta({ description: 'Where to begin; `nextOffset` of the page before' }),
  limit: queryInt(1, 1000).default(100),
});
export type SearchOutputQuery = z.output<typeof searchOutputQuerySchema>;

export const outputHitSchema = z.object({
  offset: z.int().meta({ description: 'Where it begins in the stream, in bytes' }),
  bytes: z.int().meta({ description: 'Its length' }),
  line: z.int().meta({ description: 'The line that it begins in, counted from 1' }),
  text: z.string().meta({ description: 'The line, or the part of a long line around it' }),
  at: z.int().meta({ description: 'Where it begins in `text`, in UTF-16 units' }),
});
export type OutputHit = z.output<typeof outputHitSchema>;

export const searchOutputResultSchema = z
  .object({
    taskId: z.string(),
    stream: outputStreamSchema,
    size: z.int().meta({ description: 'Bytes of the stream at that time' }),
    hits: z.array(outputHitSchema),
    count: z.int(),
    hasMore: z.boolean().meta({ description: 'Whether a part of the stream was not searched yet' }),
    nextOffset: z.int().optional().meta({ description: 'Present if there is more' }),
  })
  .meta({ id: 'OutputSearch' });
export type SearchOutputResult = z.output<typeof searchOutputResultSchema>;
