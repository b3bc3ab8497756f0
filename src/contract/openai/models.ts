import { z } from 'zod';

export const openaiModelSchema = z
  .object({
    id: z.string(),
    object: z.literal('model'),
    created: z.int().meta({ description: '0: providers do not say it' }),
    owned_by: z.string().meta({ description: 'The provider; `svc` for routes and agents' }),
  })
  .meta({ id: 'OpenAiModel' });
export type OpenAiModel = z.output<typeof openaiModelSchema>;

export const openaiModelListSchema = z
  .object({ object: z.literal('list'), data: z.array(openaiModelSchema) })
  .meta({ id: 'OpenAiModelList' });
