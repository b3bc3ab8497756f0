import { z } from 'zod';
import { modelNameSchema } from './parts.ts';

const text = z.string().min(1).max(1_000_000);

export const embeddingRequestSchema = z
  .object({
    model: modelNameSchema,
    input: z.union([text, z.array(text).min(1).max(2048)], {
      error: 'Expected a text or a list of texts, none of them empty; lists of tokens are not supported',
    }),
    encoding_format: z.enum(['float', 'base64']).nullish(),
    dimensions: z.int().min(1).max(100_000).nullish(),
  })
  .meta({ id: 'EmbeddingRequest' });
export type EmbeddingRequest = z.output<typeof embeddingRequestSchema>;

export const embeddingListSchema = z
  .object({
    object: z.literal('list'),
    data: z.array(
      z.object({
        object: z.literal('embedding'),
        index: z.int(),
        embedding: z.union([z.array(z.number()), z.string()]).meta({
          description: 'Numbers, or little-endian 32-bit floats in base64',
        }),
      }),
    ),
    model: z.string(),
    usage: z
      .object({ prompt_tokens: z.int(), total_tokens: z.int() })
      .optional()
      .meta({ description: 'Absent if the provider does not report it' }),
  })
  .meta({ id: 'EmbeddingList' });
export type EmbeddingList = z.output<typeof embeddingListSchema>;
