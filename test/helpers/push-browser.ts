import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { PushPayload } from '../../src/contract/push.ts';

/** What a browser gives a daemon to reach it, and how that browser reads what it gets. */
export function newPushBrowser(endpoint = 'https://push.example/send/1') {
  const own = createECDH('prime256v1');
  own.generateKeys();
  const auth = randomBytes(16);
  return {
    subscription: {
      endpoint,
      keys: { p256dh: own.getPublicKey('base64url'), auth: auth.toString('base64url') },
    },
    /** Decrypts a message as RFC 8291 and RFC 8188 say. */
    read(body: Uint8Array): PushPayload {
      const bytes = Buffer.from(body);
      const salt = bytes.subarray(0, 16);
      const keyLength = bytes[20] ?? 0;
      const sender = bytes.subarray(21, 21 + keyLength);
      const sealed = bytes.subarray(21 + keyLength);
      const info = Buffer.concat([Buffer.from('WebPush: info\0'), own.getPublicKey(), sender]);
      const material = Buffer.from(hkdfSync('sha256', own.computeSecret(sender), auth, info, 32));
      const derive = (name: string, length: number) =>
        Buffer.from(hkdfSync('sha256', material, salt, `Content-Encoding: ${name}\0`, length));
      const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12));
      decipher.setAuthTag(sealed.subarray(-16));
      const plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
      // The delimiter of the last record.
      return JSON.parse(plain.subarray(0, plain.lastIndexOf(2)).toString()) as PushPayload;
    },
  };
}

export interface PushMessage {
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** A push service on this machine. */
export async function startPushService(status: () => number = () => 201) {
  const messages: PushMessage[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      messages.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(pieces) });
      response.writeHead(status()).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The push service has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    messages,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
