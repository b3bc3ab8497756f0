import { z } from 'zod';

/** An error in the form of OpenAI. */
export const openaiErrorSchema = z
  .object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      param: z.string().nullable().meta({ description: 'The field of the request that it is about' }),
      code: z.string().nullable(),
    }),
  })
  .meta({ id: 'OpenAiError' });
export type OpenAiError = z.output<typeof openaiErrorSchema>['error'];
