import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { compileCache } from './compile-cache.ts';

const binary = join(import.meta.dirname, '../../bin/svc.js');

export interface Message {
  id?: unknown;
  method?: unknown;
  result?: unknown;
  error?: unknown;
}

/** The command line of `svc mcp`, for clients that start it themselves. */
export const svcMcp = { command: process.execPath, args: ['--', binary, 'mcp'] };

/** `svc mcp` as a client starts it, message by message. */
export class SvcMcp implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown[]>;
  readonly #lines: AsyncIterator<string>;
  /** All lines of stdout so far. */
  readonly seen: string[] = [];
  stderr = '';

  constructor(env: Record<string, string>) {
    this.#child = spawn(svcMcp.command, svcMcp.args, {
      env: { PATH: process.env['PATH'] ?? '', ...compileCache, ...env },
      stdio: 'pipe',
    });
    const { stdout, stderr } = this.#child;
    if (!stdout || !stderr) throw new Error('no pipes');
    this.#exited = once(this.#child, 'exit');
    this.#lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
    stderr.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
  }

  send(message: object | string): void {
    const line = typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...message });
    this.#child.stdin?.write(`${line}\n`);
  }

  /** The next message that fits; throws where the program ends before. */
  async next(fits: (message: Message) => boolean = () => true): Promise<Message> {
    for (;;) {
      const line = await this.#lines.next();
      if (line.done) throw new Error(`svc mcp ended: ${this.stderr}`);
      this.seen.push(line.value);
      const message = JSON.parse(line.value) as Message;
      if (fits(message)) return message;
    }
  }

  async request(id: number, method: string, params: object = {}): Promise<Message> {
    this.send({ id, method, params });
    return this.next((message) => message.id === id);
  }

  /** Shakes hands as clients up to revision 2025-11-25 do. */
  async initialize(): Promise<Message> {
    const clientInfo = { name: 'test', version: '1' };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
    const answer = await this.request(0, 'initialize', params);
    this.send({ method: 'notifications/initialized' });
    return answer;
  }

  /** Closes its stdin; answers the exit code. */
  async end(): Promise<number | null> {
    this.#child.stdin?.end();
    const [code] = (await this.#exited) as [number | null];
    return code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }
}
