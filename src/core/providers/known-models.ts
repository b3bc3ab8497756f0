import {
  isBuiltIn,
  type Model,
  type ModelProviderType,
  type ProviderName,
} from '../../contract/providers.ts';

type KnownModel = Pick<Model, 'id' | 'contextWindow' | 'supportsTools' | 'supportsReasoning'>;

const model = (id: string, contextWindow?: number, extra: Partial<KnownModel> = {}): KnownModel => ({
  id,
  ...(contextWindow !== undefined && { contextWindow }),
  ...extra,
});
const tools = { supportsTools: true };
const reasoning = { supportsTools: true, supportsReasoning: true };

/**
 * The models in the vendors' documentation and packages on 2026-11-21, for vendors without a list of models and for
 * context windows that a list leaves out. Only public context windows are included.
 */
const knownModels: Partial<Record<ModelProviderType, readonly KnownModel[]>> = {
  anthropic: [
    model('claude-opus-5-5', undefined, reasoning),
    model('claude-sonnet-5-5', undefined, reasoning),
    model('claude-haiku-5-5', undefined, reasoning),
    model('claude-sonnet-4-5', 200_000, reasoning),
    model('claude-haiku-4-5', 200_000, reasoning),
  ],
  openai: [
    model('gpt-5.5', undefined, reasoning),
    model('gpt-5.4', undefined, reasoning),
    model('gpt-5.4-mini', undefined, reasoning),
    model('gpt-5', 400_000, reasoning),
    model('gpt-5-mini', 400_000, reasoning),
    model('gpt-4.1', 1_047_576, tools),
    model('gpt-4o', 128_000, tools),
    model('gpt-4o-mini', 128_000, tools),
  ],
  google: [
    model('gemini-3.8-flash', undefined, reasoning),
    model('gemini-3.1-pro-preview', 1_048_576, reasoning),
    model('gemini-2.5-pro', 1_048_576, reasoning),
    model('gemini-2.5-flash', 1_048_576, reasoning),
  ],
  mistral: [
    model('mistral-large-latest', undefined, tools),
    model('mistral-medium-latest', undefined, tools),
    model('mistral-small-latest', undefined, tools),
    model('codestral-latest', 256_000, tools),
  ],
  groq: [
    model('openai/gpt-oss-120b', 131_072, reasoning),
    model('openai/gpt-oss-20b', 131_072, reasoning),
    model('llama-3.3-70b-versatile', 131_072, tools),
    model('llama-3.1-8b-instant', 131_072, tools),
  ],
  xai: [model('grok-latest', undefined, reasoning), model('grok-4.7', undefined, reasoning)],
  deepseek: [
    model('deepseek-v4-flash', undefined, reasoning),
    model('deepseek-v4-pro', undefined, reasoning),
  ],
  cohere: [
    model('command-a-03-2025', 256_000, tools),
    model('command-a-reasoning-08-2025', 256_000, reasoning),
    model('command-r7b-12-2024', 128_000, tools),
  ],
  perplexity: [
    model('sonar', 128_000, { supportsTools: false }),
    model('sonar-pro', 200_000, { supportsTools: false }),
    model('sonar-reasoning-pro', 128_000, { supportsTools: false, supportsReasoning: true }),
    model('sonar-deep-research', 128_000, { supportsTools: false, supportsReasoning: true }),
  ],
  together: [
    model('openai/gpt-oss-120b', 131_072, reasoning),
    model('openai/gpt-oss-20b', 131_072, reasoning),
  ],
  fireworks: [model('accounts/fireworks/models/gpt-oss-120b', 131_072, reasoning)],
  cerebras: [model('gpt-oss-120b', 131_072, reasoning)],
  openrouter: [model('openrouter/auto', 2_000_000, tools)],
};

/** The dated list of a provider; empty for a server. */
export const knownModelsOf = (provider: ProviderName): readonly KnownModel[] =>
  (isBuiltIn(provider) && knownModels[provider]) || [];
