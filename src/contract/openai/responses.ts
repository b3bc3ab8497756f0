import { z } from 'zod';
import {
  effortSchema,
  fileDataSchema,
  functionFields,
  imageUrlSchema,
  jsonFormatSchema,
  jsonSchemaSchema,
  maxTokensSchema,
  modelNameSchema,
  refused,
  samplingFields,
  toolNameSchema,
} from './parts.ts';

const text = z.object({ type: z.enum(['input_text', 'output_text', 'text']), text: z.string() });
const refusal = z.object({ type: z.literal('refusal'), refusal: z.string() });
const image = z.object({
  type: z.literal('input_image'),
  image_url: imageUrlSchema,
  file_id: refused('Files are not stored here; use image_url.'),
});
const file = z.object({
  type: z.literal('input_file'),
  file_data: fileDataSchema,
  filename: z.string().max(500).nullish(),
  file_id: refused('Files are not stored here; use file_data.'),
});
const contentPart = z.discriminatedUnion('type', [text, refusal, image, file]);
export type ResponseContentPart = z.output<typeof contentPart>;

/** Clients may leave out the type of a message. */
const message = z.object({
  type: z.literal('message').optional(),
  role: z.enum(['user', 'assistant', 'system', 'developer']),
  content: z.union([z.string(), z.array(contentPart)]),
});
const functionCall = z.object({
  type: z.literal('function_call'),
  call_id: z.string().min(1).max(500),
  name: toolNameSchema,
  arguments: z.string(),
});
const functionCallOutput = z.object({
  type: z.literal('function_call_output'),
  call_id: z.string().min(1).max(500),
  output: z.union([z.string(), z.array(text)]),
});
/** Thoughts of an earlier answer, which providers other than the one that made them do not take. */
const reasoning = z.object({ type: z.literal('reasoning') });

const unknownItem =
  'Expected an item of the type message, function_call, function_call_output or reasoning; stored items (item_reference) are not supported';
const item = z.union([message, functionCall, functionCallOutput, reasoning], { error: unknownItem });
export type ResponseItem = z.output<typeof item>;

const tool = z.object({
  type: z.literal('function', 'Only tools of the type function are supported'),
  ...functionFields,
});

const format = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text') }),
  z.object({ type: z.literal('json_object') }),
  z.object({
    ...jsonFormatSchema.shape,
    type: z.literal('json_schema'),
    name: z.string().max(200),
    schema: jsonSchemaSchema,
  }),
]);

const isFalse = (value: unknown) => value === false;

export const responseRequestSchema = z
  .object({
    model: modelNameSchema,
    input: z.union([z.string(), z.array(item).min(1).max(5000)]),
    instructions: z.string().nullish(),
    ...samplingFields,
    max_output_tokens: maxTokensSchema,
    reasoning: z.object({ effort: effortSchema.nullish() }).nullish(),
    text: z.object({ format: format.nullish() }).nullish(),
    tools: z.array(tool).max(500).nullish(),
    tool_choice: z
      .union([
        z.enum(['none', 'auto', 'required']),
        z.object({ type: z.literal('function'), name: toolNameSchema }),
      ])
      .nullish(),
    metadata: z.record(z.string(), z.string()).nullish(),
    store: refused('Responses are not stored here: leave store out, or set it to false.', isFalse),
    previous_response_id: refused('Responses are not stored here: send the earlier items in input.'),
    conversation: refused('Conversations are not stored here: send the earlier items in input.'),
    background: refused('A response is answered in the request itself.', isFalse),
    prompt: refused('Prompts are not stored here: send instructions and input.'),
  })
  .meta({ id: 'ResponseRequest' });
export type ResponseRequest = z.output<typeof responseRequestSchema>;

const outputText = z.object({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.array(z.unknown()),
  logprobs: z.array(z.unknown()),
});
const status = z.enum(['in_progress', 'completed', 'incomplete']);
const outputItem = z.union([
  z.object({
    type: z.literal('message'),
    id: z.string(),
    status,
    role: z.literal('assistant'),
    content: z.array(outputText),
  }),
  z.object({
    type: z.literal('function_call'),
    id: z.string(),
    status,
    call_id: z.string(),
    name: z.string(),
    arguments: z.string(),
  }),
]);
export type ResponseOutputItem = z.output<typeof outputItem>;

export const openaiResponseSchema = z
  .object({
    id: z.string(),
    object: z.literal('response'),
    created_at: z.int().meta({ description: 'Seconds since 1970' }),
    status: z.enum(['in_progress', 'completed', 'incomplete', 'failed']),
    background: z.literal(false),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    incomplete_details: z.object({ reason: z.enum(['max_output_tokens', 'content_filter']) }).nullable(),
    instructions: z.string().nullable(),
    max_output_tokens: z.int().nullable(),
    metadata: z.record(z.string(), z.string()),
    model: z.string().meta({ description: 'The model that answered, as `provider/model`' }),
    output: z.array(outputItem),
    parallel_tool_calls: z.boolean(),
    previous_response_id: z.null(),
    reasoning: z.object({ effort: effortSchema.nullable(), summary: z.null() }),
    store: z.literal(false),
    temperature: z.number().nullable(),
    text: z.object({ format: z.record(z.string(), z.unknown()) }),
    tool_choice: z.union([z.string(), z.object({ type: z.literal('function'), name: z.string() })]),
    tools: z.array(z.record(z.string(), z.unknown())),
    top_p: z.number().nullable(),
    truncation: z.literal('disabled'),
    usage: z
      .object({
        input_tokens: z.int(),
        input_tokens_details: z.object({ cached_tokens: z.int() }),
        output_tokens: z.int(),
        output_tokens_details: z.object({ reasoning_tokens: z.int() }),
        total_tokens: z.int(),
      })
      .nullable()
      .meta({ description: 'null if the provider does not report it' }),
  })
  .meta({ id: 'OpenAiResponse' });
export type OpenAiResponse = z.output<typeof openaiResponseSchema>;

export const responseEventSchema = z
  .object({ type: z.string(), sequence_number: z.int() })
  .meta({ id: 'OpenAiResponseEvent', description: 'With more fields, by its type' });
