import { z } from 'zod';
import { modelNameSchema } from './parts.ts';

const MAX_INPUTS = 2048;
const text = z.string().min(1).max(1_000_000);
const tokens = z.array(z.int().min(0)).min(1).max(300_000);

export const embeddingRequestSchema = z
  .object({
    model: modelNameSchema,
    // A long list of tokens is tried as such first: as texts, each of them would be an error.
    input: z
      .union([text, tokens, z.array(tokens).min(1).max(MAX_INPUTS), z.array(text).min(1).max(MAX_INPUTS)], {
        error:
          'Expected a text, a list of texts, a list of tokens or a list of such lists, none of them empty',
      })
      .meta({ description: 'Lists of tokens are for models of OpenAI and Azure and for servers' }),
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
