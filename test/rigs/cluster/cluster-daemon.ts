import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, createClient } from '../../../src/contract/client.ts';
import { contract } from '../../../src/contract/index.ts';
import { sessionCookie } from '../../../src/contract/locations.ts';
import { freePort } from '../../../bench/free-port.ts';
import { root } from '../../cli/svc-binary.ts';
import { compileCache } from '../../helpers/compile-cache.ts';
import { memoryFolder } from '../../helpers/memory-folder.ts';

const settings = {
  SVC_QUEUE_RETRY_BACKOFF: '20',
  SVC_LIMITS_REQUESTS_PER_MINUTE: '1000000',
  SVC_OUTBOUND_ALLOW_PRIVATE: '127.0.0.1/32',
};
/** The master seed of the cluster. */
const SEED = '5e'.repeat(32);
/** The pino level of errors. */
const ERROR = 50;

/** `bin/svc.js daemon` as users start it, in a home of its own, as one of a cluster. */
export class ClusterDaemon {
  readonly folder = memoryFolder();
  readonly url: string;
  /** What it logged as errors. */
  readonly errors: string[] = [];
  /** The svc that the next start runs. */
  program = join(root, 'bin/svc.js');
  readonly #env: Record<string, string>;
  #child: ChildProcess | undefined;

  private constructor(port: number, env: Record<string, string>) {
    this.url = `http://127.0.0.1:${port}`;
    writeFileSync(join(this.folder, 'identity'), `${SEED}\n`, { mode: 0o600 });
    this.#env = {
      PATH: process.env['PATH'] ?? '',
      HOME: this.folder,
      SVC_HOME: this.folder,
      SVC_PORT: String(port),
      ...settings,
      ...compileCache,
      ...env,
    };
  }

  /** `env` has the way to what the daemons share. */
  static async create(env: Record<string, string>): Promise<ClusterDaemon> {
    return new ClusterDaemon(await freePort(), env);
  }

  /** A client that is signed in as the owner on this daemon, whose requests may go by another address. */
  client({ baseUrl = this.url, timeoutMs = 10_000 } = {}): Client {
    const session = readFileSync(join(this.folder, 'owner-session'), 'utf8').trim();
    return createClient(contract, {
      baseUrl,
      fetch: (url, init) => fetch(url, { ...init, signal: AbortSignal.timeout(timeoutMs) }),
      headers: { cookie: `${sessionCookie}=${session}` },
    });
  }

  get isRunning(): boolean {
    return this.#child?.exitCode === null && this.#child.signalCode === null;
  }

  /** Resolves to whether it listens; false where it ended before. */
  start(): Promise<boolean> {
    const child = spawn(process.execPath, [this.program, 'daemon'], {
      env: this.#env,
      cwd: this.folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.#child = child;
    process.once('exit', this.#onExit);
    return new Promise((resolve) => {
      child.once('close', () => resolve(false));
      this.#readLines(child, () => resolve(true));
    });
  }

  signal(signal: NodeJS.Signals): void {
    if (this.isRunning && this.#child?.pid !== undefined) process.kill(-this.#child.pid, signal);
  }

  /** Sends the signal to its processes and waits for its end. */
  async end(signal: NodeJS.Signals): Promise<void> {
    if (!this.isRunning || !this.#child) return;
    const ended = once(this.#child, 'exit');
    this.signal('SIGCONT');
    this.signal(signal);
    await ended;
    process.off('exit', this.#onExit);
  }

  /** Waits for an end that something else has ordered. */
  async ended(): Promise<void> {
    if (this.isRunning && this.#child) await once(this.#child, 'exit');
    process.off('exit', this.#onExit);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }

  readonly #onExit = (): void => this.signal('SIGKILL');

  #readLines(child: ChildProcess, onReady: () => void): void {
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) {
        if (line.includes(' listens on ')) onReady();
        else if (line.startsWith('{') && (JSON.parse(line) as { level: number }).level >= ERROR)
          this.errors.push(line);
      }
    });
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => this.errors.push(chunk.trimEnd()));
  }
}
