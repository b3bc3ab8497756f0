import { type ChildProcess, fork, type Serializable } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A server of the bench in a process of its own; it tells its address when it is ready. */
export interface BenchServer {
  url: string;
  /** Headers that its requests need. */
  headers: Record<string, string>;
  /** Asks the server for what it knows of itself. */
  ask(question: Serializable): Promise<unknown>;
  stop(): Promise<void>;
}

export async function startServer(
  file: string,
  environment: Record<string, string> = {},
): Promise<BenchServer> {
  const child = fork(fileURLToPath(new URL(`servers/${file}.ts`, import.meta.url)), {
    env: { ...process.env, NODE_ENV: 'production', ...environment },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ready = (await nextMessage(child)) as { url: string; headers: Record<string, string> };
  return {
    ...ready,
    async ask(question) {
      child.send(question);
      return nextMessage(child);
    },
    async stop() {
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
    },
  };
}

async function nextMessage(child: ChildProcess): Promise<unknown> {
  const ended = new AbortController();
  try {
    const [message] = (await Promise.race([
      once(child, 'message', { signal: ended.signal }),
      once(child, 'exit', { signal: ended.signal }).then(() => {
        throw new Error('the server of the bench ended');
      }),
    ])) as [unknown];
    return message;
  } finally {
    ended.abort();
  }
}

/** The microseconds of CPU that the process of a server has used. */
export async function cpuOfServer(server: Pick<BenchServer, 'ask'>): Promise<number> {
  const { user, system } = (await server.ask('cpu')) as NodeJS.CpuUsage;
  return user + system;
}
