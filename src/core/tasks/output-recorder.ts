import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { OutputName } from '../../contract/task-output.ts';
import { AgentFailure } from '../agents/agent-adapter.ts';
import { messageOf } from '../errors.ts';

export interface OutputRecorderOptions {
  /** The directory of the task's output; it does not exist yet. */
  directory: string;
  /** The most bytes of both streams together. */
  maxBytes: number;
}

/** Writes what one attempt prints into two files, byte for byte, while others read them. */
export class OutputRecorder {
  readonly #options: OutputRecorderOptions;
  readonly #files = new Map<OutputName, FileHandle>();
  readonly #written: Record<OutputName, number> = { stdout: 0, stderr: 0 };
  #room: number;
  #before: Promise<void> = Promise.resolve();
  #change = Promise.withResolvers<void>();
  #isClosed = false;

  constructor(options: OutputRecorderOptions) {
    this.#options = options;
    this.#room = options.maxBytes;
  }

  /** The bytes of a stream that can be read from its file. */
  written(name: OutputName): number {
    return this.#written[name];
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Resolves after the next write, or when the attempt has ended. */
  get changed(): Promise<void> {
    return this.#change.promise;
  }

  /** Resolves once the bytes are in the file; rejects with an `AgentFailure` at the limit, or where the disk refuses. */
  write(name: OutputName, bytes: Uint8Array): Promise<void> {
    const written = this.#before.then(() => this.#write(name, bytes));
    this.#before = written.catch(() => undefined);
    return written;
  }

  /** Resolves once everything is on the disk. */
  async close(): Promise<void> {
    await this.#before;
    this.#isClosed = true;
    this.#announce();
    const results = await Promise.allSettled([...this.#files.values()].map(syncAndClose));
    for (const result of results) if (result.status === 'rejected') throw notStored(result.reason);
  }

  async #write(name: OutputName, bytes: Uint8Array): Promise<void> {
    // An agent that was abandoned may still print.
    if (this.#isClosed) return;
    const { maxBytes } = this.#options;
    const part = bytes.subarray(0, this.#room);
    this.#room -= part.length;
    try {
      const file = await this.#file(name);
      for (let at = 0; at < part.length;) at += (await file.write(part, at)).bytesWritten;
    } catch (error) {
      throw notStored(error);
    }
    this.#written[name] += part.length;
    this.#announce();
    if (part.length < bytes.length)
      throw new AgentFailure(
        'command_failed',
        'output_too_large',
        `The command printed more than ${maxBytes} bytes, the limit of agents.output.maxBytes, and was stopped`,
        { isFinal: true },
      );
  }

  async #file(name: OutputName): Promise<FileHandle> {
    let file = this.#files.get(name);
    if (!file) {
      await mkdir(this.#options.directory, { recursive: true, mode: 0o700 });
      file = await open(join(this.#options.directory, name), 'wx', 0o600);
      this.#files.set(name, file);
    }
    return file;
  }

  #announce(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }
}

async function syncAndClose(file: FileHandle): Promise<void> {
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

const notStored = (error: unknown) =>
  new AgentFailure(
    'agent_error',
    'output_not_stored',
    `The output could not be stored: ${messageOf(error)}`,
    {
      cause: error,
    },
  );
