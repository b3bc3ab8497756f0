import type { ModelProvider } from '../../../contract/providers.ts';

/** The state of a provider in a word or two. */
export function stateOf({
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
