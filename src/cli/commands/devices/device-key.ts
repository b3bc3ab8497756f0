import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  type KeyObject,
  sign,
} from 'node:crypto';
import { mkdirSync } from 'node:fs';
import type { Locations } from '../../../contract/locations.ts';
import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { readTextFile } from '../../input/json-file.ts';
import { writeThrough } from './identity-file.ts';

export interface DeviceKey {
  /** The 32 bytes of the key, base64. */
  publicKey: string;
  /** `sha256:` and the hash of those bytes in hex. */
  fingerprint: string;
  /** The signature on the text, base64. */
  sign: (text: string) => string;
}

/** The Ed25519 key by which this machine is known to the daemons that it is paired with; created on first use. */
export function deviceKey({ config }: Locations): DeviceKey {
  const path = `${config}/device-key.pem`;
  const text = readTextFile(path) ?? makeKey(config, path);
  const key = parse(text, path);
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  const bytes = Buffer.from(x, 'base64url');
  return {
    publicKey: bytes.toString('base64'),
    fingerprint: `sha256:${hash('sha256', bytes, 'hex')}`,
    sign: (signed) => sign(null, Buffer.from(signed), key).toString('base64'),
  };
}

function makeKey(folder: string, path: string): string {
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeThrough(path, pem);
  return pem;
}

function parse(text: string, path: string): KeyObject {
  try {
    const key = createPrivateKey(text);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch (error) {
    throw notAKey(path, error);
  }
  throw notAKey(path);
}

const notAKey = (path: string, cause?: unknown) =>
  new CliError(exitCodes.configuration, `${path} is not an Ed25519 key.`, {
    next: 'Move it away; the next pairing creates a new one.',
    cause,
  });
