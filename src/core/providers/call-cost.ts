import type { ProviderMetadata } from 'ai';

/** What a call cost in US dollars, where the provider says so, as OpenRouter does; undefined where it does not. */
export function costOf(metadata: ProviderMetadata | undefined): number | undefined {
  const usage = metadata?.['openrouter']?.['usage'];
  const cost = typeof usage === 'object' && usage !== null && 'cost' in usage ? usage['cost'] : undefined;
  return typeof cost === 'number' && Number.isFinite(cost) && cost >= 0 ? cost : undefined;
}
