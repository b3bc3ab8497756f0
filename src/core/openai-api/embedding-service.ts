import type { EmbeddingList, EmbeddingRequest } from '../../contract/openai/embeddings.ts';
import type { Caller } from '../auth/caller.ts';
import type { EmbeddingCalls, EmbeddingInput } from '../providers/embedding-calls.ts';
import type { ModelProviders } from '../providers/model-providers.ts';
import { costOfCall } from '../providers/model-prices.ts';
import type { UsageLedger } from '../usage/usage-ledger.ts';
import { usedByCaller } from '../usage/used-by.ts';
import { nameOf } from './model-router.ts';
import type { Spending } from './spending.ts';
import { requireModel } from './token-models.ts';

export interface EmbeddingServiceDeps {
  providers: Pick<ModelProviders, 'choose' | 'priceOf'>;
  embeddings: EmbeddingCalls;
  spending: Spending;
  usage: Pick<UsageLedger, 'record'>;
}

/** Embeddings in the form of OpenAI. */
export class EmbeddingService {
  readonly #deps: EmbeddingServiceDeps;
  constructor(deps: EmbeddingServiceDeps) {
    this.#deps = deps;
  }

  async embed(caller: Caller, request: EmbeddingRequest, signal: AbortSignal): Promise<EmbeddingList> {
    const { providers, embeddings, spending, usage } = this.#deps;
    await spending.admit(caller);
    const chosen = providers.choose(request.model);
    const model = nameOf(chosen);
    requireModel(caller, model);
    const inputs = inputsOf(request.input);
    const counted = tokensIn(inputs);
    const price = providers.priceOf(chosen);
    const call = await spending.begin(caller, { ...chosen, price }, counted ?? inputs.join(''));
    const { vectors, tokens = counted } = await embeddings.embed(
      { ...chosen, inputs, dimensions: request.dimensions ?? undefined },
      signal,
    );
    usage.record({
      usedBy: usedByCaller(caller),
      provider: chosen.provider,
      model: chosen.modelId,
      inputTokens: tokens ?? 0,
      outputTokens: 0,
      costUsd: price && tokens !== undefined ? costOfCall(price, { prompt: tokens, answer: 0 }) : undefined,
    });
    call.end({ ...(tokens !== undefined && { promptTokens: tokens }), completionTokens: 0 });
    const encode = request.encoding_format === 'base64' ? toBase64 : (vector: number[]) => vector;
    return {
      object: 'list',
      data: vectors.map((vector, index) => ({ object: 'embedding', index, embedding: encode(vector) })),
      model,
      ...(tokens !== undefined && { usage: { prompt_tokens: tokens, total_tokens: tokens } }),
    };
  }
}

function inputsOf(input: EmbeddingRequest['input']): readonly EmbeddingInput[] {
  if (typeof input === 'string') return [input];
  const isTokens = (list: typeof input): list is number[] => typeof list[0] === 'number';
  return isTokens(input) ? [input] : input;
}

/** How many tokens there are; undefined where there are texts. */
function tokensIn(inputs: readonly EmbeddingInput[]): number | undefined {
  let tokens = 0;
  for (const input of inputs) {
    if (typeof input === 'string') return undefined;
    tokens += input.length;
  }
  return tokens;
}

/** Little-endian 32-bit floats. */
function toBase64(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [at, value] of vector.entries()) bytes.writeFloatLE(value, at * 4);
  return bytes.toString('base64');
}
