import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';
import { freePort } from '../../bench/free-port.ts';
import { memoryFolder } from './memory-folder.ts';

const NOBODY = 65534;

/** Whether there is a redis-server here; in CI a missing one is a failure. */
export const hasRedis: boolean = spawnSync('redis-server', ['--version']).status === 0;
if (!hasRedis && process.env['CI']) throw new Error('These tests need redis-server, and CI skips nothing');

/** A redis-server of its own in a temporary folder, which keeps its data across restarts. */
export class RedisServer implements AsyncDisposable {
  readonly port: number;
  readonly #folder: string;
  readonly #options: readonly string[];
  #process: ChildProcess | undefined;
  #server: number | undefined;

  private constructor(port: number, folder: string, options: readonly string[]) {
    this.port = port;
    this.#folder = folder;
    this.#options = options;
  }

  /** `options` are flags of redis-server in addition to those that svc requires. */
  static async start(...options: string[]): Promise<RedisServer> {
    const folder = memoryFolder();
    if (process.getuid?.() === 0) chownSync(folder, NOBODY, NOBODY);
    const server = new RedisServer(await freePort(), folder, options);
    await server.restart();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts it again on the same port, with the data that it has stored. */
  async restart(): Promise<void> {
    await this.stop();
    const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
    const flags = ['--port', String(this.port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'yes'];
    flags.push('--maxmemory-policy', 'noeviction');
    const child = spawn(
      '/bin/sh',
      ['-c', WATCH, this.#folder, 'redis-server', ...flags, '--dir', this.#folder, ...this.#options],
      // A session of its own: a Ctrl+C is not for the wrapper, which has to clean up after it.
      { stdio: ['pipe', 'pipe', 'ignore'], cwd: this.#folder, detached: true, ...user },
    );
    this.#process = child;
    const lines: string[] = [];
    let isReady = false;
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line);
      isReady = line.includes('Ready to accept connections');
      if (isReady) break;
    }
    child.stdout.resume();
    if (!isReady) throw new Error(`redis-server does not start:\n${lines.slice(1).join('\n')}`);
    this.#server = Number(lines[0]);
    // It runs only as long as this process, and keeps nobody from ending.
    for (const held of [child, child.stdin as Socket, child.stdout as Socket]) held.unref();
  }

  /** Stops answering without closing a connection, until `resume`. */
  pause(): void {
    this.#signal('SIGSTOP');
  }

  resume(): void {
    this.#signal('SIGCONT');
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.#end('SIGTERM');
  }

  async flushAll(): Promise<void> {
    const redis = new Redis(this.url);
    await redis.flushall();
    redis.disconnect();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    child.ref();
    const gone = once(child, 'exit');
    process.kill(server, 'SIGCONT');
    process.kill(server, signal);
    await gone;
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#server !== undefined) process.kill(this.#server, signal);
  }
}

/**
 * Says the id of the server, and ends with it. When the pipe of this process closes, whatever the reason, the server ends
 * and its folder goes.
 */
const WATCH = `
exec 3<&0
"$@" 3<&- </dev/null & server=$!
echo "$server"
exec >&-
(read -r end <&3; kill -STOP "$server"; rm -rf "$0"; kill -KILL "$server") & watch=$!
wait "$server"; kill "$watch"
`;

let shared: Promise<RedisServer> | undefined;

/** The server that all tests of a worker share, each under a prefix of its own; it goes with the process. */
export const sharedRedis = (): Promise<RedisServer> => (shared ??= RedisServer.start());

let prefixes = 0;
/** A prefix of keys that no other test uses. */
export const newPrefix = (): string => `test${process.pid}-${++prefixes}`;
