import type { ProviderMetadata } from 'ai';

/** The cost of a call in US dollars; undefined unless the provider reports it, as OpenRouter does. */
export function costOf(metadata: ProviderMetadata | undefined): number | undefined {
  const usage = metadata?.['openrouter']?.['usage'];
  const cost = typeof usage === 'object' && usage !== null && 'cost' in usage ? usage['cost'] : undefined;
  return typeof cost === 'number' && Number.isFinite(cost) && cost >= 0 ? cost : undefined;
}
