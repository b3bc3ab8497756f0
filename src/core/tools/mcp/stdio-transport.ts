import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { deserializeMessage, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import { closeInheritedDescriptors } from '../../processes/inherited-descriptors.ts';
import { killMarked, processMarker } from '../../processes/marked-processes.ts';
import { terminateGroup, signalGroup, watched } from '../../processes/process-group.ts';
import { FloodGuard } from './flood-guard.ts';
import { McpFailure } from './mcp-failure.ts';

/** The longest message in bytes. */
const MAX_MESSAGE = 8 * 1024 * 1024;
/** The most bytes in ten seconds, so that a server cannot keep the daemon busy. */
const MAX_FLOW = 64 * 1024 * 1024;
const FLOW_WINDOW_MS = 10_000;
/** The most bytes of output that is not a message; some servers print a greeting. */
const MAX_STRAY = 1024 * 1024;
/** The most bytes to buffer for a server that does not read. */
const MAX_UNREAD = 4 * 1024 * 1024;
/** How long the output may stay open after the program has exited. */
const DRAIN_MS = 1000;
const NEW_LINE = 10;

export interface StdioProgram {
  command: string;
  args: readonly string[];
  cwd: string;
  env: Record<string, string | undefined>;
  /** Marks its processes, so that all of them can be found again. */
  mark: string;
}

/**
 * Talks to a program over its standard input and output. The transport of the SDK starts it in the daemon's own process
 * group, so that its children outlive it, and limits nothing but the length of a message.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Why the connection closed; undefined while it is open. */
  closeReason: string | undefined;
  /** Whether the program wrote output that is not a message. */
  hasStrayOutput = false;
  readonly #program: StdioProgram;
  readonly #flow: FloodGuard;
  #child: ChildProcessByStdio<Writable, Readable, null> | undefined;
  #exited: Promise<unknown> = Promise.resolve();
  /** Resolves once all its processes have exited and its output is closed. */
  #closed: Promise<unknown> = Promise.resolve();
  #hasFailed = false;
  #line: Buffer[] = [];
  #lineLength = 0;
  #strayBytes = 0;

  constructor(program: StdioProgram, monotonic: () => number) {
    this.#program = program;
    this.#flow = new FloodGuard(MAX_FLOW, FLOW_WINDOW_MS, monotonic);
  }

  async start(): Promise<void> {
    const { command, args, cwd, env, mark } = this.#program;
    closeInheritedDescriptors();
    const child = spawn('/bin/sh', watched([command, ...args]), {
      cwd,
      env: { ...env, [processMarker]: mark },
      stdio: ['pipe', 'pipe', 'ignore', 'pipe'],
      detached: true,
      // The type covers only three streams.
    }) as ChildProcessByStdio<Writable, Readable, null>;
    this.#child = child;
    // Input that the program did not read before it exited is irrelevant.
    for (const stream of child.stdio) stream?.on('error', () => undefined);
    child.stdout.on('data', (chunk: Buffer) => this.#receive(chunk));
    const spawned = once(child, 'spawn');
    this.#exited = new Promise((resolve) => child.once('exit', resolve));
    this.#closed = new Promise<void>((resolve) => {
      child.once('exit', (code, signal) => {
        this.closeReason ??= describeExit(code, signal);
        resolve(this.#cleanUp(child));
      });
    }).catch((error: unknown) => this.onerror?.(error instanceof Error ? error : new Error(String(error))));
    try {
      await spawned;
    } catch (error) {
      this.#child = undefined;
      const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      throw isMissing
        ? new McpFailure(`its working directory does not exist: ${cwd}`, { cause: error })
        : error;
    }
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin?.writable) throw new McpFailure(this.closeReason ?? 'it has exited');
    if (stdin.writableLength > MAX_UNREAD) throw this.#fail('it does not read its input');
    stdin.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    const { pid, stdin, stdout } = this.#child ?? {};
    if (pid === undefined) return;
    stdin?.end();
    stdout?.destroy();
    await terminateGroup(pid, this.#exited);
    await this.#closed;
  }

  /** Closes the connection for this reason, unless it is already closing. */
  #fail(reason: string): McpFailure {
    const failure = new McpFailure(this.closeReason ?? reason);
    if (this.closeReason === undefined) {
      this.#hasFailed = true;
      this.closeReason = reason;
      this.close().catch(() => this.onerror?.(failure));
    }
    return failure;
  }

  /** Kills the processes that the program started and reads its remaining output. */
  async #cleanUp(child: ChildProcessByStdio<Writable, Readable, null>): Promise<void> {
    const { pid, stdout } = child;
    if (pid !== undefined) signalGroup(pid, 'SIGKILL');
    await killMarked((mark) => mark === this.#program.mark);
    const drain = setTimeout(() => stdout.destroy(), DRAIN_MS);
    if (!stdout.closed) await new Promise((resolve) => stdout.once('close', resolve));
    clearTimeout(drain);
    for (const stream of child.stdio) stream?.destroy();
    this.#child = undefined;
    this.onclose?.();
  }

  #receive(chunk: Buffer): void {
    if (this.#flow.take(chunk.length)) return void this.#fail('it sends too much data');
    let start = 0;
    for (let end = chunk.indexOf(NEW_LINE); end >= 0; end = chunk.indexOf(NEW_LINE, start)) {
      this.#append(chunk.subarray(start, end));
      this.#readLine();
      start = end + 1;
    }
    this.#append(chunk.subarray(start));
    if (this.#lineLength > MAX_MESSAGE) this.#fail(`it sent a message of more than ${MAX_MESSAGE} bytes`);
  }

  #append(part: Buffer): void {
    if (part.length === 0) return;
    this.#line.push(part);
    this.#lineLength += part.length;
  }

  #readLine(): void {
    const line = Buffer.concat(this.#line).toString('utf8').trim();
    const length = this.#lineLength;
    this.#line = [];
    this.#lineLength = 0;
    if (line === '' || this.#hasFailed) return;
    let message: JSONRPCMessage;
    try {
      message = deserializeMessage(line);
    } catch {
      // Tolerated up to a limit: some programs print a greeting.
      this.hasStrayOutput = true;
      this.#strayBytes += length;
      if (this.#strayBytes > MAX_STRAY) this.#fail('its output is not MCP');
      return;
    }
    this.onmessage?.(message);
  }
}

function describeExit(code: number | null, signal: NodeJS.Signals | null): string {
  if (signal) return `it was killed by ${signal}`;
  if (code === 127) return 'its command was not found';
  if (code === 126) return 'its command is not executable';
  return `it exited with code ${code}`;
}
