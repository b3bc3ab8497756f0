import { createHmac } from 'node:crypto';

/** How a secret begins whose rest is the key in base64 (Standard Webhooks). */
const KEY_PREFIX = 'whsec_';

export interface SignedMessage {
  /** The same at every attempt, so that the receiver can tell a repetition. */
  id: string;
  sentAt: Date;
  /** The exact text of the body. */
  body: string;
  secret: string;
}

/** The headers that prove who sent the body: our own, and those of Standard Webhooks 1.0. */
export function signatureHeaders({ id, sentAt, body, secret }: SignedMessage): Record<string, string> {
  const timestamp = String(Math.floor(sentAt.getTime() / 1000));
  const key = secret.startsWith(KEY_PREFIX)
    ? Buffer.from(secret.slice(KEY_PREFIX.length), 'base64')
    : Buffer.from(secret);
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'x-service-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}
