import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  APICallError,
  embed,
  type EmbeddingModel,
  generateText,
  isStepCount,
  jsonSchema,
  type LanguageModel,
  Output,
  streamText,
  tool,
} from 'ai';
import { citySchema, type Door, numbersSchema, type OpenAiClient, question, type Said } from './client.ts';

interface Models {
  name: string;
  chat: (door: Door, model: string) => LanguageModel;
  embedding: (door: Door, model: string) => EmbeddingModel;
}

async function say(model: LanguageModel): Promise<Said> {
  const { text, usage } = await generateText({ model, prompt: question, maxRetries: 0 });
  return { text, usage: { input: usage.inputTokens, output: usage.outputTokens } };
}

async function stream(model: LanguageModel): Promise<Said> {
  const result = streamText({ model, prompt: question, maxRetries: 0 });
  const [text, usage] = [await result.text, await result.usage];
  return { text, usage: { input: usage.inputTokens, output: usage.outputTokens } };
}

async function useTools(model: LanguageModel, name: string, isStream: boolean) {
  const calls: unknown[] = [];
  const compute = tool({
    description: 'Computes',
    inputSchema: jsonSchema<{ a: number; b: number }>(numbersSchema),
    execute: (args) => {
      calls.push(args);
      return '42';
    },
  });
  const settings = {
    model,
    prompt: question,
    tools: { [name]: compute },
    stopWhen: isStepCount(3),
    maxRetries: 0,
  };
  const text = isStream ? await streamText(settings).text : (await generateText(settings)).text;
  return { calls, text };
}

const withModels = ({ name, chat, embedding }: Models): OpenAiClient => ({
  name,
  chat: (door, model) => say(chat(door, model)),
  stream: (door, model) => stream(chat(door, model)),
  tools: (door, model, toolName, isStream) => useTools(chat(door, model), toolName, isStream),
  async structured(door, model) {
    const { output } = await generateText({
      model: chat(door, model),
      prompt: question,
      output: Output.object({ schema: jsonSchema({ ...citySchema, required: ['city', 'country'] }) }),
      maxRetries: 0,
    });
    return output;
  },
  async vision(door, model, url) {
    const { text } = await generateText({
      model: chat(door, model),
      maxRetries: 0,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'file', mediaType: 'image/png', data: url.split(',')[1] ?? '' },
          ],
        },
      ],
    });
    return text;
  },
  async embed(door, model, value) {
    return (await embed({ model: embedding(door, model), value, maxRetries: 0 })).embedding;
  },
  async error(door, model) {
    const failed = await say(chat(door, model)).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (!APICallError.isInstance(failed))
      throw new Error('The SDK made no APICallError of it', { cause: failed });
    const { code } = (failed.data as { error: { code: string } }).error;
    return { status: failed.statusCode, code };
  },
  async abort(door, model) {
    const controller = new AbortController();
    const result = streamText({
      model: chat(door, model),
      prompt: question,
      abortSignal: controller.signal,
      maxRetries: 0,
      onError: () => undefined,
    });
    for await (const part of result.stream) if (part.type === 'text-delta') controller.abort();
  },
});

/** The package of the AI SDK for servers that speak the API of OpenAI. */
export const aiSdkCompatible: OpenAiClient = withModels({
  name: '@ai-sdk/openai-compatible',
  chat: (door, model) =>
    createOpenAICompatible({ ...door, name: 'svc', includeUsage: true, supportsStructuredOutputs: true })(
      model,
    ),
  embedding: (door, model) => createOpenAICompatible({ ...door, name: 'svc' }).embeddingModel(model),
});

const responses = (door: Door, model: string) => createOpenAI(door).responses(model);

/** The package of the AI SDK for OpenAI itself. */
export const aiSdkOpenAi: OpenAiClient = {
  ...withModels({
    name: '@ai-sdk/openai',
    chat: (door, model) => createOpenAI(door).chat(model),
    embedding: (door, model) => createOpenAI(door).embeddingModel(model),
  }),
  respond: (door, model) => say(responses(door, model)),
  respondStream: (door, model) => stream(responses(door, model)),
  respondTools: (door, model, name, isStream) => useTools(responses(door, model), name, isStream),
};
