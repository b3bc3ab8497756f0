import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems give out by themselves, from 32768 on, and those that svc gives to worktrees. */
const FIRST = 10_100;
const COUNT = 10_000;
let next = Math.floor(Math.random() * COUNT);

/**
 * A free port of this machine, for what cannot be told to choose one itself. The system gives it to no other program before it is
 * used, nor while what uses it is away, and no other call of this process gets it.
 */
export async function freePort(): Promise<number> {
  while (true) {
    const port = FIRST + (next++ % COUNT);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') continue;
      throw error;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}
