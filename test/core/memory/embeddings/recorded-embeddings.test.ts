import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { EmbeddingProvider } from '../../../../src/core/config/memory-settings.ts';
import { startEmbeddingServer } from '../../../helpers/embedding-server.ts';
import { hasSharedFixtures } from '../../../helpers/shared-fixture.ts';
import { createEmbedder } from './embedder-fixture.ts';

const folder = new URL('../../../../../shared/fixtures/providers/', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8');

/** What the vendor was asked to make vectors of, and how many numbers each has. */
const recordings: [name: string, provider: EmbeddingProvider, texts: number, length: number][] = [
  ['openai/embeddings-json-other.vai-openai-embedding.json', 'openai', 2, 5],
  ['openai/embeddings-json-other.olm-embeddings-metrics-2.json', 'openai', 1, 1536],
  ['openai/embeddings-json-other.olm-query-pipeline-2.json', 'openai', 1, 1536],
  ['google/embed-json-other.oinf-embed-content-multiple-contents-0.json', 'google', 2, 3072],
  ['google/embed-json-other.pyd-testgoogle-test-documents-0.json', 'google', 2, 3072],
  ['cohere/embed-json-other.pyd-testcohere-test-query-0.json', 'cohere', 1, 1536],
  ['cohere/embed-json-other.pyd-testcohere-test-query-with-truncate-0.json', 'cohere', 1, 1536],
  ['cohere/chat-v2-json-error.vai-cohere-embedding.json', 'cohere', 2, 5],
];

type Item = { embedding?: number[] | string; values?: number[] };
/** The numbers as the vendor wrote them, read without anything of ours. */
function numbersIn(json: string): number[][] {
  const { data, embeddings } = JSON.parse(json) as {
    data?: Item[];
    embeddings?: Item[] | { float: number[][] };
  };
  if (embeddings && 'float' in embeddings) return embeddings.float;
  return (data ?? embeddings ?? []).map(({ embedding = [], values = embedding }) => {
    if (typeof values !== 'string') return values;
    const bytes = Uint8Array.from(atob(values), (character) => character.charCodeAt(0));
    return [...new Float32Array(bytes.buffer)];
  });
}

describe.skipIf(!hasSharedFixtures)('recorded answers of providers', () => {
  it.each(recordings)('reads the recorded embeddings of %s', async (name, provider, count, length) => {
    const body = read(name);
    await using server = await startEmbeddingServer();
    server.script = (reply) => reply.send(200, body);
    await using fixture = await createEmbedder(server.url, provider);
    const choice = fixture.embedder.choice();
    if (!choice) throw new Error('There is a choice');
    const texts = Array.from({ length: count }, (_, at) => `text ${at}`);
    const vectors = await fixture.embedder.embedTexts(choice, texts, new AbortController().signal);
    expect(vectors.map((vector) => vector.length)).toEqual(texts.map(() => length));
    expect(vectors).toEqual(numbersIn(body).map((numbers) => Float32Array.from(numbers)));
  });

  it('sends the recorded requests', async () => {
    const asked = async (provider: EmbeddingProvider, model: string, texts: string[]) => {
      await using server = await startEmbeddingServer();
      const flags = { 'memory.embedding.model': model };
      await using fixture = await createEmbedder(server.url, provider, { flags });
      const choice = fixture.embedder.choice();
      if (choice) await fixture.embedder.embedTexts(choice, texts, new AbortController().signal);
      const [request] = server.asked;
      return { path: request?.path, body: request?.body };
    };
    const recorded = (name: string) =>
      (JSON.parse(read(name)) as { request: { path: string; body: Record<string, unknown> } }).request;

    const google = recorded('google/embed-json-other.pyd-testgoogle-test-documents-0.meta.json');
    const toGoogle = await asked('google', 'gemini-embedding-2-preview', ['hello', 'world']);
    expect(`/v1beta${toGoogle.path?.replace('/google', '')}`).toBe(google.path);
    expect(toGoogle.body).toMatchObject(google.body);

    const openai = recorded('openai/embeddings-json-other.olm-query-pipeline-2.meta.json');
    const input = openai.body['input'] as string[];
    const toOpenAI = await asked('openai', 'text-embedding-ada-002', input);
    expect(`/v1${toOpenAI.path?.replace('/openai', '')}`).toBe(openai.path);
    expect(toOpenAI.body).toEqual({ ...openai.body, encoding_format: 'float' });

    const cohere = recorded('cohere/embed-json-other.pyd-testcohere-test-query-0.meta.json');
    const toCohere = await asked('cohere', 'embed-v4.0', ['Hello, world!']);
    expect(`/v2${toCohere.path?.replace('/cohere', '')}`).toBe(cohere.path);
    const { model, texts, embedding_types } = cohere.body;
    expect(toCohere.body).toEqual({ model, texts, embedding_types, input_type: 'search_document' });
  });
});
