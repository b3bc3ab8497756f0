import type { ProviderName } from '../../../contract/oauth.ts';
import type { SourceHeaders } from './source-work.ts';

const headerOf: Record<ProviderName, string> = {
  codehost: 'x-github-delivery',
  tracker_a: 'x-atlassian-webhook-identifier',
  tracker_b: 'linear-delivery',
};

/** What the sender calls the delivery, the same when it sends it again; the hash of its bytes where it says nothing. */
export function deliveryIdOf(provider: ProviderName, headers: SourceHeaders, bodyHash: string): string {
  const given = headers[headerOf[provider]];
  return typeof given === 'string' && /^[\x21-\x7e]{1,200}$/.test(given) ? given : `sha256:${bodyHash}`;
}
