import type { Runtime } from '../runtime.ts';

const SECRET_BYTES = 32;

/** The associated data for sealing a webhook's current and previous secret. */
export const secretContext = (webhookId: string): string => `webhooks:${webhookId}`;

/** The associated data for sealing the bearer token of a webhook's receiver. */
export const tokenContext = (webhookId: string): string => `webhooks:${webhookId}:token`;

/** Generates a secret in the format of Standard Webhooks. */
export const newWebhookSecret = ({ newSecret }: Pick<Runtime, 'newSecret'>): string =>
  `whsec_${Buffer.from(newSecret(SECRET_BYTES), 'base64url').toString('base64')}`;
