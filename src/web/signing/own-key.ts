import type { SigningAlgorithm } from '../../contract/keys.ts';
import { client } from '../client.ts';
import { type OwnKey, readKey, storeKey } from './key-store.ts';

/** The key that the daemon knows for this session; one is made and registered where there is none. */
export const ownKey = (): Promise<OwnKey> =>
  // One tab at a time: a session has one key.
  navigator.locks.request('svc signing key', async () => {
    const [stored, { keys }] = await Promise.all([readKey(), client.keys.list()]);
    if (stored && keys.some(({ id, current }) => current && id === stored.id)) return stored;
    return makeKey();
  });

async function makeKey(): Promise<OwnKey> {
  const { algorithm, pair } = await generate();
  const bytes = new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey));
  const body = { algorithm, publicKey: toBase64(bytes) };
  const { id, userId, sessionId, deviceId = null } = (await client.keys.register({ body })).key;
  const key: OwnKey = { id, userId, sessionId, deviceId, privateKey: pair.privateKey };
  await storeKey(key);
  return key;
}

/** Not every browser has Ed25519. */
async function generate(): Promise<{ algorithm: SigningAlgorithm; pair: CryptoKeyPair }> {
  const uses: KeyUsage[] = ['sign', 'verify'];
  try {
    const pair = (await crypto.subtle.generateKey('Ed25519', false, uses)) as CryptoKeyPair;
    return { algorithm: 'ed25519', pair };
  } catch {
    const curve = { name: 'ECDSA', namedCurve: 'P-256' };
    return { algorithm: 'p256', pair: await crypto.subtle.generateKey(curve, false, uses) };
  }
}

/** The signature on a text in base64, in the form that the daemon verifies. */
export async function signWith({ privateKey }: OwnKey, text: string): Promise<string> {
  const algorithm =
    privateKey.algorithm.name === 'ECDSA' ? { name: 'ECDSA', hash: 'SHA-256' } : privateKey.algorithm.name;
  return toBase64(
    new Uint8Array(await crypto.subtle.sign(algorithm, privateKey, new TextEncoder().encode(text))),
  );
}

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
