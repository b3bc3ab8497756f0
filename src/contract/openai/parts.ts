import { z } from 'zod';

/** The longest name that a model may have here. */
const MAX_NAME = 300;

export const modelNameSchema = z.string().trim().min(1).max(MAX_NAME).meta({
  description: '`provider/model`, a model of the default provider, a route of `routes`, or `agent/TYPE`',
});

/** An image or a file in the request itself. */
const dataUrl = /^data:[\w.+-]+\/[\w.+-]+;base64,[A-Za-z0-9+/=_-]+$/;
const isUrlOfImage = (url: string) =>
  url.startsWith('data:')
    ? /^data:image\//i.test(url) && dataUrl.test(url)
    : URL.parse(url)?.protocol === 'https:';
export const imageUrlSchema = z
  .string()
  .refine(isUrlOfImage, 'Expected an https URL, or a data URL such as data:image/png;base64,…');

export const fileDataSchema = z
  .string()
  .refine((url) => dataUrl.test(url), 'Expected a data URL such as data:application/pdf;base64,…');

/** A field that other servers know and this one refuses, because leaving it out would change the answer. */
export const refused = (message: string, isHarmless: (value: unknown) => boolean = () => false) =>
  z
    .unknown()
    .refine((value) => value === undefined || value === null || isHarmless(value), message)
    .optional()
    .meta({ description: `Not supported. ${message}` });

const name = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[\w.-]+$/, 'Expected letters, digits, underscores, dots and hyphens');
export const toolNameSchema = name;

/** A JSON schema. */
export const jsonSchemaSchema = z.record(z.string(), z.unknown());

/** What both ways to ask a model say of a function. */
export const functionFields = {
  name: toolNameSchema,
  description: z.string().max(100_000).nullish(),
  parameters: jsonSchemaSchema.nullish(),
  strict: z.boolean().nullish(),
};

/** What they say of a form of JSON. */
export const jsonFormatSchema = z.object({
  name: z.string().max(200).nullish(),
  description: z.string().max(10_000).nullish(),
  schema: jsonSchemaSchema.nullish(),
  strict: z.boolean().nullish(),
});

export const effortSchema = z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']);

/** Settings that both ways to ask a model have, under the same names. */
export const samplingFields = {
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  stream: z.boolean().nullish(),
};

export const maxTokensSchema = z.int().min(1).max(10_000_000).nullish();
