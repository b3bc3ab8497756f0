import { existsSync } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { OutputName } from '../../contract/task-output.ts';
import { unlessAborted } from '../async/unless-aborted.ts';
import { codeOf } from '../paths/file-errors.ts';
import { IdDirectories } from '../paths/id-directories.ts';
import { AppError } from '../errors.ts';
import { OutputRecorder } from './output-recorder.ts';
import type { OutputSource } from './output-source.ts';

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

  /** One stream as it is now. */
  async source(taskId: string, name: OutputName): Promise<OutputSource> {
    const path = join(this.path(taskId), name);
    const recorder = this.#open.get(taskId);
    const written = recorder?.written(name);
    const file = await identityOf(path);
    const size = written ?? file.size;
    return {
      size,
      tag: recorder ? undefined : `${file.id}-${file.size.toString(36)}`,
      read: (start, end) => readFrom(path, file.id, start, Math.min(end, size)),
    };
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
        if (file)
          for await (const piece of piecesOf(file, at, end)) {
            at += piece.length;
            yield piece;
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

/** The bytes up to `end`, or to the end of the file. */
async function* piecesOf(file: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end;) {
    const length = Math.min(PIECE_BYTES, end - at);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** The bytes of the file that was looked at before, not of one that has replaced it. */
async function* readFrom(path: string, id: string, start: number, end: number): AsyncGenerator<Buffer> {
  if (start >= end) return;
  const file = await openIfExists(path);
  try {
    if (!file || (await identityOf(path)).id !== id)
      throw new AppError('conflict', 'The output was replaced by that of another attempt, or removed');
    yield* piecesOf(file, start, end);
  } finally {
    await file?.close();
  }
}

/** What tells a file from another one that gets its name later. */
async function identityOf(path: string): Promise<{ id: string; size: number }> {
  try {
    const { ino, birthtimeNs, size } = await stat(path, { bigint: true });
    return { id: `${ino.toString(36)}-${birthtimeNs.toString(36)}`, size: Number(size) };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { id: 'none', size: 0 };
    throw error;
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
