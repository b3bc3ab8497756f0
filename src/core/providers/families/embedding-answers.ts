import { z } from 'zod';
import type { ModelFetch } from '../../outbound/model-fetch.ts';

/**
 * Normalizes embedding responses: some servers send base64 where numbers were requested, which the packages reject, and
 * some send the vectors out of order, which the packages do not notice.
 */
export const normalizeEmbeddings =
  (fetch: ModelFetch): ModelFetch =>
  async (url, init) => {
    const response = await fetch(url, init);
    if (!response.ok) return response;
    const text = await response.text();
    const body = isPlain(text) ? text : repairJson(text);
    return new Response(body, { status: response.status, headers: response.headers });
  };

/** Parsing is slow, so the body is parsed twice only where necessary. */
function isPlain(json: string): boolean {
  if (/"embedding"\s*:\s*"/.test(json)) return false;
  const indexes = [...json.matchAll(/"index"\s*:\s*(\d+)/g)].map(([, index]) => Number(index));
  return indexes.every((index, at) => index >= (indexes[at - 1] ?? 0));
}

const answerSchema = z.looseObject({
  data: z.array(z.looseObject({ index: z.int().catch(0), embedding: z.unknown() })),
});

function repairJson(json: string): string {
  let answer;
  try {
    answer = answerSchema.parse(JSON.parse(json));
  } catch {
    // The package reports the error.
    return json;
  }
  const data = answer.data
    .toSorted((a, b) => a.index - b.index)
    .map((item) => ({ ...item, embedding: inNumbers(item.embedding) }));
  return JSON.stringify({ ...answer, data });
}

/** Little-endian 32-bit floats. */
function inNumbers(embedding: unknown): unknown {
  if (typeof embedding !== 'string') return embedding;
  const bytes = Buffer.from(embedding, 'base64');
  if (bytes.length % 4 !== 0) return embedding;
  return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
}
