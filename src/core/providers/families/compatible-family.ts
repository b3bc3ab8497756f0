import type { LanguageModelMiddleware } from 'ai';
import { loadSdk } from '../load-sdk.ts';
import type { Connection } from '../model-provider.ts';
import { normalizeEmbeddings } from './embedding-answers.ts';

/** Vendors with the chat completions API of OpenAI; their own packages would add only images and rerankers. */
export async function createCompatible(name: string, { apiKey, baseUrl, fetch }: Connection) {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const settings = { name, baseURL: baseUrl, fetch, includeUsage: true };
  return createOpenAICompatible({ ...settings, ...(apiKey !== '' && { apiKey }) });
}

export async function createCompatibleEmbedding(name: string, { fetch, ...connection }: Connection) {
  const create = await createCompatible(name, { ...connection, fetch: normalizeEmbeddings(fetch) });
  return (modelId: string) => create.embeddingModel(modelId);
}

/** Together names the token that ended the answer as its finish reason. */
export async function createTogether(connection: Connection) {
  const { wrapLanguageModel } = await loadSdk();
  const create = await createCompatible('together', connection);
  return (modelId: string) => wrapLanguageModel({ model: create(modelId), middleware: endsWithToken });
}

const endsWithToken: LanguageModelMiddleware = {
  wrapGenerate: async ({ doGenerate }) => {
    const result = await doGenerate();
    return { ...result, finishReason: readEnd(result.finishReason) };
  },
  wrapStream: async ({ doStream }) => {
    const { stream, ...result } = await doStream();
    return { ...result, stream: stream.pipeThrough(renameEnd()) };
  },
};

type StreamPart =
  Awaited<ReturnType<Parameters<NonNullable<LanguageModelMiddleware['wrapStream']>>[0]['doStream']>> extends {
    stream: ReadableStream<infer Part>;
  }
    ? Part
    : never;
type End = Extract<StreamPart, { type: 'finish' }>['finishReason'];

const readEnd = (end: End): End => (end.raw === 'eos' ? { ...end, unified: 'stop' } : end);

const renameEnd = () =>
  new TransformStream<StreamPart, StreamPart>({
    transform: (part, controller) =>
      controller.enqueue(
        part.type === 'finish' ? { ...part, finishReason: readEnd(part.finishReason) } : part,
      ),
  });
