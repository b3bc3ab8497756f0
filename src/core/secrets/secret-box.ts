import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { AppError } from '../errors.ts';

const PREFIX = 'sealed:v1:';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** True for text that a `SecretBox` wrote. */
export const isSealed = (text: string): boolean => text.startsWith(PREFIX);

/**
 * Seals secrets at rest with AES-256-GCM and a fresh nonce. The context, such as a table and a key, is authenticated
 * too, so that a sealed text cannot be moved to another row.
 */
export class SecretBox {
  /** Not the bytes: Node.js takes a key object four times faster. */
  readonly #key: KeyObject;
  constructor(key: Buffer) {
    this.#key = createSecretKey(key);
  }

  seal(secret: string, context: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(Buffer.from(context));
    const sealed = Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return PREFIX + sealed.toString('base64url');
  }

  /** Throws where the text was changed, moved, or sealed under another master seed. */
  open(sealed: string, context: string): string {
    try {
      if (!isSealed(sealed)) throw new Error('not sealed');
      const bytes = Buffer.from(sealed.slice(PREFIX.length), 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(-TAG_BYTES));
      const opened = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
      return Buffer.concat([opened, decipher.final()]).toString('utf8');
    } catch (cause) {
      throw new AppError(
        'unavailable',
        'A stored secret cannot be read. It was sealed under another identity: svc doctor',
        { cause, isLasting: true },
      );
    }
  }
}
