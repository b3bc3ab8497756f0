import type { WebhookFormat } from '../../../contract/webhooks.ts';

/** What each format sends. */
export const formatMeanings: Record<WebhookFormat, string> = {
  json: 'signed JSON for a program (default)',
  text: 'one or two sentences for people, for example to an ntfy topic',
};
