// oxlint-disable-next-line no-restricted-imports -- a socket in a directory of the daemon, no request
import { createServer, type Server, type Socket } from 'node:net';
import { rmSync } from 'node:fs';
import type { Readable } from 'node:stream';
import type { Runtime } from '../../runtime.ts';

/** The streams of a program that the daemon reads. */
export type StdioName = 'stdout' | 'stderr';

/** Bytes of a secret, and its characters as base64url. */
const SECRET_BYTES = 24;
const SECRET_CHARACTERS = 32;
/** The longest path of a socket, by sockaddr_un. */
const MAX_PATH = 107;

/** Where programs that another process starts connect their output to; the first bytes of each say whose it is. */
export class ForkStreams {
  readonly #path: string;
  readonly #newSecret: Runtime['newSecret'];
  readonly #expected = new Map<string, (stream: Readable) => void>();
  readonly #open = new Set<Socket>();
  #server: Server | undefined;

  constructor(path: string, { newSecret }: Pick<Runtime, 'newSecret'>) {
    this.#path = path;
    this.#newSecret = newSecret;
  }

  /** Resolves once programs can connect; false where no socket can be at the path. */
  listen(): Promise<boolean> {
    if (Buffer.byteLength(this.#path) > MAX_PATH) return Promise.resolve(false);
    // Of a daemon that was killed; the lock of the data directory says that no other one runs.
    rmSync(this.#path, { force: true });
    const server = (this.#server = createServer((socket) => this.#greet(socket)).unref());
    return new Promise((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(this.#path, () => resolve(true));
    });
  }

  /** A secret that a stream begins with, and what is called with the stream once it is here. */
  expect(onStream: (stream: Readable) => void): string {
    const secret = this.#newSecret(SECRET_BYTES);
    this.#expected.set(secret, onStream);
    return secret;
  }

  forget(secret: string): void {
    this.#expected.delete(secret);
  }

  close(): void {
    this.#server?.close();
    for (const socket of this.#open) socket.destroy();
  }

  #greet(socket: Socket): void {
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
    // Whoever reads the stream sees that it ended early.
    socket.on('error', () => socket.destroy());
    const read = () => {
      const head = socket.read(SECRET_CHARACTERS) as Buffer | null;
      if (!head) return;
      socket.off('readable', read);
      const secret = head.toString('latin1');
      const onStream = this.#expected.get(secret);
      this.#expected.delete(secret);
      if (onStream) onStream(socket);
      else socket.destroy();
    };
    socket.on('readable', read);
  }
}
