import type { Vendor } from '../../../contract/vendors.ts';
import type { SourceHeaders } from './source-work.ts';

const headerOf: Record<Vendor, string> = {
  github: 'x-github-delivery',
  jira: 'x-atlassian-webhook-identifier',
  linear: 'linear-delivery',
};

/** The sender's delivery id, which is the same on a redelivery; the hash of the body if there is none. */
export function deliveryIdOf(provider: Vendor, headers: SourceHeaders, bodyHash: string): string {
  const given = headers[headerOf[provider]];
  return typeof given === 'string' && /^[\x21-\x7e]{1,200}$/.test(given) ? given : `sha256:${bodyHash}`;
}
