import type { ModelProvider } from './providers.ts';

/** The state of a provider in a word or two. */
export function providerState({
  configured,
  enabled,
  healthy,
  message,
}: Pick<ModelProvider, 'configured' | 'enabled' | 'healthy' | 'message'>): string {
  if (!configured) return 'not configured';
  if (!enabled) return 'disabled';
  if (healthy) return 'healthy';
  return message === undefined ? 'not tested' : 'unhealthy';
}
