import { existsSync } from 'node:fs';
import { type FileHandle, open, opendir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { OutputName } from '../../contract/task-output.ts';
import { unlessAborted } from '../async/unless-aborted.ts';
import { codeOf } from '../paths/file-errors.ts';
import { OutputRecorder } from './output-recorder.ts';

const PIECE_BYTES = 64 * 1024;

export interface ReadOptions {
  /** The first byte to return. */
  offset: number;
  /** Whether to continue until the attempt in progress has ended. */
  follow: boolean;
  signal: AbortSignal;
}

/** What the latest attempt of each task printed, in a directory per task. */
export class TaskOutputs {
  readonly #deps: { root: string; maxBytes: () => number };
  readonly #open = new Map<string, OutputRecorder>();
  constructor(deps: { root: string; maxBytes: () => number }) {
    this.#deps = deps;
  }

  /** Begins an attempt: what earlier ones printed is removed. */
  async record(taskId: string): Promise<OutputRecorder> {
    await this.remove(taskId);
    const recorder = new OutputRecorder({
      directory: this.#directory(taskId),
      maxBytes: this.#deps.maxBytes(),
    });
    this.#open.set(taskId, recorder);
    return recorder;
  }

  /** Ends an attempt; resolves once what it printed is on the disk. */
  async finish(taskId: string, recorder: OutputRecorder): Promise<void> {
    try {
      await recorder.close();
    } finally {
      if (this.#open.get(taskId) === recorder) this.#open.delete(taskId);
    }
  }

  /** Whether output of the task is stored, or being stored. */
  has(taskId: string): boolean {
    return this.#open.has(taskId) || existsSync(this.#directory(taskId));
  }

  /** The bytes of one stream in pieces. */
  async *read(taskId: string, name: OutputName, options: ReadOptions): AsyncGenerator<Buffer> {
    const { offset, follow, signal } = options;
    const recorder = this.#open.get(taskId);
    let file: FileHandle | undefined;
    let at = offset;
    try {
      for (;;) {
        // Taken first: a write in the meantime is then not missed.
        const changed = recorder?.changed;
        const isLast = changed === undefined || recorder?.isClosed !== false || !follow;
        const end = recorder?.written(name) ?? Number.POSITIVE_INFINITY;
        if (at < end) file ??= await openIfExists(join(this.#directory(taskId), name));
        while (file && at < end) {
          const length = Math.min(PIECE_BYTES, end - at);
          const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, at);
          if (bytesRead === 0) break;
          at += bytesRead;
          yield buffer.subarray(0, bytesRead);
          signal.throwIfAborted();
        }
        if (isLast) return;
        await unlessAborted(changed, signal);
      }
    } finally {
      await file?.close();
    }
  }

  async remove(id: string): Promise<void> {
    await rm(this.#directory(id), { recursive: true, force: true });
  }

  async changedAt(id: string): Promise<Date | undefined> {
    const found = await stat(this.#directory(id)).catch(() => undefined);
    return found?.mtime;
  }

  /** The ids of the tasks that have output. */
  async *list(): AsyncGenerator<string> {
    const { root } = this.#deps;
    if (!existsSync(root)) return;
    for await (const entry of await opendir(root)) if (entry.isDirectory()) yield entry.name;
  }

  #directory(id: string): string {
    return join(this.#deps.root, basename(id));
  }
}

async function openIfExists(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
