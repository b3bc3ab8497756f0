import {
  AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  ToolMessage,
  type UsageMetadata,
} from '@langchain/core/messages';
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';
import { citySchema, type Door, numbersSchema, type OpenAiClient, question, type Said } from './client.ts';

const open = ({ baseURL, apiKey }: Door, model: string, options: { useResponsesApi?: boolean } = {}) =>
  new ChatOpenAI({ model, apiKey, maxRetries: 0, configuration: { baseURL }, ...options });

function saidIn({ text, usage_metadata }: AIMessageChunk): Said {
  const usage = usage_metadata as UsageMetadata | undefined;
  return { text, usage: { input: usage?.input_tokens, output: usage?.output_tokens } };
}

async function whole(chunks: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk> {
  let sum: AIMessageChunk | undefined;
  for await (const chunk of chunks) sum = sum ? sum.concat(chunk) : chunk;
  return sum ?? new AIMessageChunk('');
}

async function useTools(model: ChatOpenAI, name: string, isStream: boolean) {
  const bound = model.bindTools([
    { type: 'function', function: { name, description: 'Computes', parameters: { ...numbersSchema } } },
  ]);
  const messages: BaseMessage[] = [new HumanMessage(question)];
  const ask = async () => (isStream ? whole(await bound.stream(messages)) : bound.invoke(messages));
  const first = await ask();
  messages.push(first);
  for (const { id = '' } of first.tool_calls ?? [])
    messages.push(new ToolMessage({ tool_call_id: id, content: '42' }));
  return { calls: (first.tool_calls ?? []).map(({ args }) => args as unknown), text: (await ask()).text };
}

/** LangChain for OpenAI. */
export const langchain: OpenAiClient = {
  name: '@langchain/openai',
  chat: async (door, model) => saidIn(await open(door, model).invoke(question)),
  stream: async (door, model) => saidIn(await whole(await open(door, model).stream(question))),
  tools: (door, model, name, isStream) => useTools(open(door, model), name, isStream),
  structured: (door, model) =>
    open(door, model)
      .withStructuredOutput({ title: 'city', ...citySchema }, { method: 'jsonSchema' })
      .invoke(question),
  async vision(door, model, url) {
    const content = [
      { type: 'text' as const, text: 'What is it?' },
      { type: 'image_url' as const, image_url: { url } },
    ];
    return (await open(door, model).invoke([new HumanMessage({ content })])).text;
  },
  embed: ({ baseURL, apiKey }, model, text) =>
    new OpenAIEmbeddings({ model, apiKey, maxRetries: 0, configuration: { baseURL } }).embedQuery(text),
  respond: async (door, model) => saidIn(await open(door, model, { useResponsesApi: true }).invoke(question)),
  respondStream: async (door, model) =>
    saidIn(await whole(await open(door, model, { useResponsesApi: true }).stream(question))),
  respondTools: (door, model, name, isStream) =>
    useTools(open(door, model, { useResponsesApi: true }), name, isStream),
  async error(door, model) {
    const failed = (await open(door, model)
      .invoke(question)
      .then(
        () => undefined,
        (error: unknown) => error,
      )) as { status?: number; code?: string } | undefined;
    return { status: failed?.status, code: failed?.code };
  },
  async abort(door, model) {
    const controller = new AbortController();
    const chunks = await open(door, model).stream(question, { signal: controller.signal });
    try {
      for await (const { text } of chunks) if (text !== '') controller.abort();
    } catch (error) {
      if (!controller.signal.aborted) throw error;
    }
  },
};
