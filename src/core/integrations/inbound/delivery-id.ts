import type { ProviderName } from '../../../contract/oauth.ts';
import type { SourceHeaders } from './source-work.ts';

const headerOf: Record<ProviderName, string> = {
  codehost: 'x-github-delivery',
  tracker_a: 'x-atlassian-webhook-identifier',
  tracker_b: 'linear-delivery',
};

/** The sender's delivery id, which is the same on a redelivery; the hash of the body if there is none. */
export function deliveryIdOf(provider: ProviderName, headers: SourceHeaders, bodyHash: string): string {
  const given = headers[headerOf[provider]];
  return typeof given === 'string' && /^[\x21-\x7e]{1,200}$/.test(given) ? given : `sha256:${bodyHash}`;
}
