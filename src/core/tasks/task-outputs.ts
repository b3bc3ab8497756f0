import { existsSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { OutputName } from '../../contract/task-output.ts';
import { unlessAborted } from '../async/unless-aborted.ts';
import { codeOf } from '../paths/file-errors.ts';
import { IdDirectories } from '../paths/id-directories.ts';
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
export class TaskOutputs extends IdDirectories {
  readonly #maxBytes: () => number;
  readonly #open = new Map<string, OutputRecorder>();
  constructor({ root, maxBytes }: { root: string; maxBytes: () => number }) {
    super(root);
    this.#maxBytes = maxBytes;
  }

  /** Begins an attempt: what earlier ones printed is removed. */
  async record(taskId: string): Promise<OutputRecorder> {
    await this.remove(taskId);
    const recorder = new OutputRecorder({
      directory: this.path(taskId),
      maxBytes: this.#maxBytes(),
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
    return this.#open.has(taskId) || existsSync(this.path(taskId));
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
        if (at < end) file ??= await openIfExists(join(this.path(taskId), name));
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
}

async function openIfExists(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
