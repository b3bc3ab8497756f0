import type { Runtime } from '../runtime.ts';

const SECRET_BYTES = 32;

/** Where the secrets of a webhook are sealed, the one before a rotation too. */
export const secretPlace = (webhookId: string): string => `webhooks:${webhookId}`;

/** In the form of Standard Webhooks. */
export const newWebhookSecret = ({ newSecret }: Pick<Runtime, 'newSecret'>): string =>
  `whsec_${Buffer.from(newSecret(SECRET_BYTES), 'base64url').toString('base64')}`;
