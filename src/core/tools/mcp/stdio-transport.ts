import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { deserializeMessage, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import {
  endGroup,
  killMarked,
  runMarker,
  signalGroup,
  watchedProgram,
} from '../../processes/process-group.ts';
import { FloodGuard } from './flood-guard.ts';
import { McpFailure } from './mcp-failure.ts';

/** The longest message, in bytes. */
const MAX_MESSAGE = 8 * 1024 * 1024;
/** Bytes in ten seconds: more than that is more than the daemon can read beside its work. */
const MAX_FLOW = 64 * 1024 * 1024;
const FLOW_WINDOW_MS = 10_000;
/** Bytes that are no messages; some print a greeting. */
const MAX_STRAY = 1024 * 1024;
/** Bytes that wait for a server that does not read. */
const MAX_UNREAD = 4 * 1024 * 1024;
/** How long the output may stay open after the end of the program. */
const DRAIN_MS = 1000;
const NEW_LINE = 10;

export interface StdioProgram {
  command: string;
  args: readonly string[];
  cwd: string;
  env: Record<string, string | undefined>;
  /** Marks its processes, so that none is lost sight of. */
  mark: string;
}

/**
 * Speaks with a program by its standard input and output. The one of the SDK starts it in the daemon's own process group,
 * so that what it starts outlives it, and has no bounds but the length of a message.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Why it came to its end, once it did. */
  ending: string | undefined;
  /** Whether it wrote what are no messages. */
  hasStrayOutput = false;
  readonly #program: StdioProgram;
  readonly #flow: FloodGuard;
  #child: ChildProcessByStdio<Writable, Readable, null> | undefined;
  #exited: Promise<unknown> = Promise.resolve();
  /** After the end of all its processes, and of its output. */
  #closed: Promise<unknown> = Promise.resolve();
  #isGivenUp = false;
  #line: Buffer[] = [];
  #lineLength = 0;
  #strayBytes = 0;

  constructor(program: StdioProgram, monotonic: () => number) {
    this.#program = program;
    this.#flow = new FloodGuard(MAX_FLOW, FLOW_WINDOW_MS, monotonic);
  }

  async start(): Promise<void> {
    const { command, args, cwd, env, mark } = this.#program;
    const child = spawn('/bin/sh', [...watchedProgram, command, ...args], {
      cwd,
      env: { ...env, [runMarker]: mark },
      stdio: ['pipe', 'pipe', 'ignore', 'pipe'],
      detached: true,
      // The type knows of three streams only.
    }) as ChildProcessByStdio<Writable, Readable, null>;
    this.#child = child;
    // What it did not read when it ended is of no interest.
    for (const stream of child.stdio) stream?.on('error', () => undefined);
    child.stdout.on('data', (chunk: Buffer) => this.#take(chunk));
    const spawned = once(child, 'spawn');
    this.#exited = new Promise((resolve) => child.once('exit', resolve));
    this.#closed = new Promise<void>((resolve) => {
      child.once('exit', (code, signal) => {
        this.ending ??= endedBy(code, signal);
        resolve(this.#cleanUp(child));
      });
    }).catch((error: unknown) => this.onerror?.(error instanceof Error ? error : new Error(String(error))));
    try {
      await spawned;
    } catch (error) {
      this.#child = undefined;
      const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      throw isMissing ? new McpFailure(`its folder is not there: ${cwd}`, { cause: error }) : error;
    }
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin?.writable) throw new McpFailure(this.ending ?? 'it has ended');
    if (stdin.writableLength > MAX_UNREAD) throw this.#giveUp('it does not read what it is sent');
    stdin.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    const { pid, stdin, stdout } = this.#child ?? {};
    if (pid === undefined) return;
    stdin?.end();
    stdout?.destroy();
    await endGroup(pid, this.#exited);
    await this.#closed;
  }

  /** Ends it for the reason given, unless it is at its end already. */
  #giveUp(reason: string): McpFailure {
    const failure = new McpFailure(this.ending ?? reason);
    if (this.ending === undefined) {
      this.#isGivenUp = true;
      this.ending = reason;
      this.close().catch(() => this.onerror?.(failure));
    }
    return failure;
  }

  /** Whatever it started ends with it; what it said last is still read. */
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

  #take(chunk: Buffer): void {
    if (this.#flow.take(chunk.length)) return void this.#giveUp('it sends more than anybody can read');
    let start = 0;
    for (let end = chunk.indexOf(NEW_LINE); end >= 0; end = chunk.indexOf(NEW_LINE, start)) {
      this.#append(chunk.subarray(start, end));
      this.#readLine();
      start = end + 1;
    }
    this.#append(chunk.subarray(start));
    if (this.#lineLength > MAX_MESSAGE) this.#giveUp(`it sent a message of more than ${MAX_MESSAGE} bytes`);
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
    if (line === '' || this.#isGivenUp) return;
    let message: JSONRPCMessage;
    try {
      message = deserializeMessage(line);
    } catch {
      // Not worth an end: some programs greet on the wrong stream.
      this.hasStrayOutput = true;
      this.#strayBytes += length;
      if (this.#strayBytes > MAX_STRAY) this.#giveUp('it writes to its output what is not MCP');
      return;
    }
    this.onmessage?.(message);
  }
}

function endedBy(code: number | null, signal: NodeJS.Signals | null): string {
  if (signal) return `it was ended by ${signal}`;
  if (code === 127) return 'its command is not there';
  if (code === 126) return 'its command cannot be run';
  return `it ended with exit code ${code}`;
}
