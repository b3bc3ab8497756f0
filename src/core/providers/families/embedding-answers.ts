import { z } from 'zod';
import type { ModelFetch } from '../../outbound/model-fetch.ts';

/**
 * Some servers answer in base64 whoever asks for numbers, which the packages refuse, and some answer in the order in
 * which they were done, which the packages do not see.
 */
export const inNumbersAndOrder =
  (fetch: ModelFetch): ModelFetch =>
  async (url, init) => {
    const response = await fetch(url, init);
    if (!response.ok) return response;
    const text = await response.text();
    const body = isPlain(text) ? text : mend(text);
    return new Response(body, { status: response.status, headers: response.headers });
  };

/** To read it takes long: it is read twice only where it must be. */
function isPlain(json: string): boolean {
  if (/"embedding"\s*:\s*"/.test(json)) return false;
  const indexes = [...json.matchAll(/"index"\s*:\s*(\d+)/g)].map(([, index]) => Number(index));
  return indexes.every((index, at) => index >= (indexes[at - 1] ?? 0));
}

const answerSchema = z.looseObject({
  data: z.array(z.looseObject({ index: z.int().catch(0), embedding: z.unknown() })),
});

function mend(json: string): string {
  let answer;
  try {
    answer = answerSchema.parse(JSON.parse(json));
  } catch {
    // The package says what is wrong with it.
    return json;
  }
  const data = answer.data
    .toSorted((a, b) => a.index - b.index)
    .map((item) => ({ ...item, embedding: inNumbers(item.embedding) }));
  return JSON.stringify({ ...answer, data });
}

/** Floats of four bytes, the lowest first. */
function inNumbers(embedding: unknown): unknown {
  if (typeof embedding !== 'string') return embedding;
  const bytes = Buffer.from(embedding, 'base64');
  if (bytes.length % 4 !== 0) return embedding;
  return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
}
