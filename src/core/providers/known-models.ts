import type { Model, ModelProviderType } from '../../contract/providers.ts';

type KnownModel = Pick<Model, 'id' | 'contextWindow' | 'supportsTools' | 'supportsReasoning'>;

const model = (id: string, contextWindow?: number, more: Partial<KnownModel> = {}): KnownModel => ({
  id,
  ...(contextWindow !== undefined && { contextWindow }),
  ...more,
});
const tools = { supportsTools: true };
const thinks = { supportsTools: true, supportsReasoning: true };

/**
 * As the vendors' documentation and packages had it on 2026-11-21: what is shown of a vendor that cannot be asked, and
 * where a context window comes from that the vendor's list does not tell. Windows are there only where they are public.
 */
export const knownModels: Partial<Record<ModelProviderType, readonly KnownModel[]>> = {
  anthropic: [
    model('claude-opus-5-5', undefined, thinks),
    model('claude-sonnet-5-5', undefined, thinks),
    model('claude-haiku-5-5', undefined, thinks),
    model('claude-sonnet-4-5', 200_000, thinks),
    model('claude-haiku-4-5', 200_000, thinks),
  ],
  openai: [
    model('gpt-5.5', undefined, thinks),
    model('gpt-5.4', undefined, thinks),
    model('gpt-5.4-mini', undefined, thinks),
    model('gpt-5', 400_000, thinks),
    model('gpt-5-mini', 400_000, thinks),
    model('gpt-4.1', 1_047_576, tools),
    model('gpt-4o', 128_000, tools),
    model('gpt-4o-mini', 128_000, tools),
  ],
  google: [
    model('gemini-3.8-flash', undefined, thinks),
    model('gemini-3.1-pro-preview', 1_048_576, thinks),
    model('gemini-2.5-pro', 1_048_576, thinks),
    model('gemini-2.5-flash', 1_048_576, thinks),
  ],
  mistral: [
    model('mistral-large-latest', undefined, tools),
    model('mistral-medium-latest', undefined, tools),
    model('mistral-small-latest', undefined, tools),
    model('codestral-latest', 256_000, tools),
  ],
  groq: [
    model('openai/gpt-oss-120b', 131_072, thinks),
    model('openai/gpt-oss-20b', 131_072, thinks),
    model('llama-3.3-70b-versatile', 131_072, tools),
    model('llama-3.1-8b-instant', 131_072, tools),
  ],
  xai: [model('grok-latest', undefined, thinks), model('grok-4.7', undefined, thinks)],
  deepseek: [model('deepseek-v4-flash', undefined, thinks), model('deepseek-v4-pro', undefined, thinks)],
  cohere: [
    model('command-a-03-2025', 256_000, tools),
    model('command-a-reasoning-08-2025', 256_000, thinks),
    model('command-r7b-12-2024', 128_000, tools),
  ],
  perplexity: [
    model('sonar', 128_000, { supportsTools: false }),
    model('sonar-pro', 200_000, { supportsTools: false }),
    model('sonar-reasoning-pro', 128_000, { supportsTools: false, supportsReasoning: true }),
    model('sonar-deep-research', 128_000, { supportsTools: false, supportsReasoning: true }),
  ],
  together: [model('openai/gpt-oss-120b', 131_072, thinks), model('openai/gpt-oss-20b', 131_072, thinks)],
  fireworks: [model('accounts/fireworks/models/gpt-oss-120b', 131_072, thinks)],
  cerebras: [model('gpt-oss-120b', 131_072, thinks)],
  openrouter: [model('openrouter/auto', 2_000_000, tools)],
};
