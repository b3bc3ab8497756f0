import { z } from 'zod';
import {
  effortSchema,
  fileDataSchema,
  functionFields,
  imageUrlSchema,
  jsonFormatSchema,
  maxTokensSchema,
  modelNameSchema,
  refused,
  samplingFields,
  toolNameSchema,
} from './parts.ts';

const textPart = z.object({ type: z.literal('text'), text: z.string() });
const userPart = z.discriminatedUnion('type', [
  textPart,
  z.object({ type: z.literal('image_url'), image_url: z.object({ url: imageUrlSchema }) }),
  z.object({
    type: z.literal('input_audio'),
    input_audio: z.object({ data: z.base64(), format: z.enum(['wav', 'mp3']) }),
  }),
  z.object({
    type: z.literal('file'),
    file: z.object({ file_data: fileDataSchema, filename: z.string().max(500).nullish() }),
  }),
]);
export type ChatUserPart = z.output<typeof userPart>;
const refusalPart = z.object({ type: z.literal('refusal'), refusal: z.string() });

/** Thoughts that Google signs and wants back with the call, as its own OpenAI-compatible API carries them. */
const extraContent = z
  .object({ google: z.object({ thought_signature: z.string().nullish() }).nullish() })
  .nullish();

const toolCall = z.object({
  id: z.string().min(1).max(500),
  type: z.literal('function').default('function'),
  function: z.object({ name: toolNameSchema, arguments: z.string() }),
  extra_content: extraContent,
});

const texts = z.union([z.string(), z.array(textPart)]);

const messageSchema = z.discriminatedUnion('role', [
  z.object({ role: z.enum(['system', 'developer']), content: texts }),
  z.object({ role: z.literal('user'), content: z.union([z.string(), z.array(userPart)]) }),
  z.object({
    role: z.literal('assistant'),
    content: z.union([z.string(), z.array(z.discriminatedUnion('type', [textPart, refusalPart]))]).nullish(),
    refusal: z.string().nullish(),
    tool_calls: z.array(toolCall).max(200).nullish(),
    function_call: refused('Use tool_calls.'),
    audio: refused('Audio answers are not supported.'),
  }),
  z.object({ role: z.literal('tool'), content: texts, tool_call_id: z.string().min(1).max(500) }),
]);
export type ChatCompletionMessage = z.output<typeof messageSchema>;

const toolSchema = z.object({
  type: z.literal('function', 'Only tools of the type function are supported'),
  function: z.object(functionFields),
});

const responseFormat = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text') }),
  z.object({ type: z.literal('json_object') }),
  z.object({ type: z.literal('json_schema'), json_schema: jsonFormatSchema }),
]);

const penalty = z.number().min(-2).max(2).nullish();
const isEmptyObject = (value: unknown) => typeof value === 'object' && Object.keys(value ?? {}).length === 0;

export const chatCompletionRequestSchema = z
  .object({
    model: modelNameSchema,
    messages: z.array(messageSchema).min(1).max(5000),
    ...samplingFields,
    stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
    max_tokens: maxTokensSchema,
    max_completion_tokens: maxTokensSchema,
    stop: z.union([z.string(), z.array(z.string()).max(16)]).nullish(),
    seed: z.int().nullish(),
    frequency_penalty: penalty,
    presence_penalty: penalty,
    reasoning_effort: effortSchema.nullish(),
    tools: z.array(toolSchema).max(500).nullish(),
    tool_choice: z
      .union([
        z.enum(['none', 'auto', 'required']),
        z.object({ type: z.literal('function'), function: z.object({ name: toolNameSchema }) }),
      ])
      .nullish(),
    response_format: responseFormat.nullish(),
    n: refused('One answer per request: n must be 1.', (value) => value === 1),
    logprobs: refused('Log probabilities are not supported.', (value) => value === false),
    top_logprobs: refused('Log probabilities are not supported.', (value) => value === 0),
    logit_bias: refused('Token biases are not supported.', isEmptyObject),
    functions: refused('Use tools.'),
    function_call: refused('Use tool_choice.'),
    audio: refused('Audio answers are not supported.'),
    modalities: refused(
      'Only text answers are supported.',
      (value) => Array.isArray(value) && value.every((each) => each === 'text'),
    ),
    web_search_options: refused('Searches of the provider are not supported.'),
  })
  .meta({ id: 'ChatCompletionRequest' });
export type ChatCompletionRequest = z.output<typeof chatCompletionRequestSchema>;

export const openaiUsageSchema = z.object({
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
  prompt_tokens_details: z.object({ cached_tokens: z.int() }).optional(),
  completion_tokens_details: z.object({ reasoning_tokens: z.int() }).optional(),
});
export type OpenAiUsage = z.output<typeof openaiUsageSchema>;

export const openaiFinishReasonSchema = z.enum(['stop', 'length', 'tool_calls', 'content_filter']);
export type OpenAiFinishReason = z.output<typeof openaiFinishReasonSchema>;

const answeredToolCall = z.object({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
  extra_content: z.object({ google: z.object({ thought_signature: z.string() }) }).optional(),
});
export type AnsweredToolCall = z.output<typeof answeredToolCall>;

export const chatCompletionSchema = z
  .object({
    id: z.string(),
    object: z.literal('chat.completion'),
    created: z.int().meta({ description: 'Seconds since 1970' }),
    model: z.string().meta({ description: 'The model that answered, as `provider/model`' }),
    choices: z.array(
      z.object({
        index: z.int(),
        message: z.object({
          role: z.literal('assistant'),
          content: z.string().nullable(),
          refusal: z.null(),
          reasoning_content: z.string().optional(),
          tool_calls: z.array(answeredToolCall).optional(),
        }),
        logprobs: z.null(),
        finish_reason: openaiFinishReasonSchema,
      }),
    ),
    usage: openaiUsageSchema.optional().meta({ description: 'Absent if the provider does not report it' }),
  })
  .meta({ id: 'OpenAiChatCompletion' });
export type ChatCompletion = z.output<typeof chatCompletionSchema>;

export const chatCompletionChunkSchema = z
  .object({
    id: z.string(),
    object: z.literal('chat.completion.chunk'),
    created: z.int(),
    model: z.string(),
    choices: z.array(
      z.object({
        index: z.int(),
        delta: z.record(z.string(), z.unknown()),
        logprobs: z.null(),
        finish_reason: openaiFinishReasonSchema.nullable(),
      }),
    ),
    usage: openaiUsageSchema.nullable().optional(),
  })
  .meta({ id: 'OpenAiChatCompletionChunk' });
