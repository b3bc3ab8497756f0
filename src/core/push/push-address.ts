import { createECDH } from 'node:crypto';
import type { SubscribePush } from '../../contract/push.ts';
import { AppError } from '../errors.ts';
import { isLoopbackHost } from '../text/loopback-host.ts';

const AUTH_BYTES = 16;

/**
 * Throws for an address or keys that no browser gives. That the address is public is checked with each request; http is for
 * push services on this machine, which an administrator has to allow like every private address.
 */
export function checkPushAddress({ endpoint, keys }: Pick<SubscribePush, 'endpoint' | 'keys'>): void {
  const { protocol, hostname } = new URL(endpoint);
  const isLocal = protocol === 'http:' && isLoopbackHost(hostname);
  if (protocol !== 'https:' && !isLocal) throw invalid('endpoint', 'Expected an https address');
  if (!isPublicKey(keys.p256dh)) throw invalid('keys.p256dh', 'Expected a P-256 public key');
  if (Buffer.from(keys.auth, 'base64url').length !== AUTH_BYTES)
    throw invalid('keys.auth', `Expected ${AUTH_BYTES} bytes`);
}

function isPublicKey(text: string): boolean {
  const own = createECDH('prime256v1');
  own.generateKeys();
  try {
    own.computeSecret(text, 'base64url');
    return Buffer.from(text, 'base64url').length === 65;
  } catch {
    return false;
  }
}

const invalid = (path: string, message: string) =>
  new AppError('validation', 'Validation failed', { details: [{ path, message }] });
