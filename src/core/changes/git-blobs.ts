import { GitFailed } from '../processes/run-git.ts';

/** The most bytes that one git prints. */
const BATCH_BYTES = 32 * 1024 * 1024;

/** A repository, as far as contents are read from it. */
export interface BlobSource<O> {
  run: (args: readonly string[], options: O & { stdin: string; maxBytes?: number }) => Promise<Buffer>;
}

/** The contents of blobs by their ids, in batches of bounded size. */
export async function* readBlobs<O extends object>(
  git: BlobSource<O>,
  ids: readonly string[],
  options: O,
): AsyncGenerator<{ id: string; content: Buffer }> {
  const sizes = await git.run(['cat-file', '--batch-check=%(objectsize)'], { ...options, stdin: lines(ids) });
  const bytes = sizes.toString().trim().split('\n').map(Number);
  let batch: string[] = [];
  let size = 0;
  for (const [index, id] of ids.entries()) {
    if (batch.length > 0 && size + (bytes[index] ?? 0) > BATCH_BYTES) {
      yield* readBatch(git, batch, options);
      batch = [];
      size = 0;
    }
    batch.push(id);
    size += bytes[index] ?? 0;
  }
  if (batch.length > 0) yield* readBatch(git, batch, options);
}

async function* readBatch<O extends object>(
  git: BlobSource<O>,
  ids: readonly string[],
  options: O,
): AsyncGenerator<{ id: string; content: Buffer }> {
  const output = await git.run(['cat-file', '--batch'], {
    ...options,
    stdin: lines(ids),
    maxBytes: 8 * BATCH_BYTES,
  });
  let at = 0;
  for (const id of ids) {
    const end = output.indexOf(10, at);
    const [found, kind, length] = output.toString('latin1', at, end).split(' ');
    if (found !== id || kind !== 'blob') throw new GitFailed(`git does not have the blob ${id}`);
    at = end + 1;
    const content = output.subarray(at, at + Number(length));
    at += content.length + 1;
    yield { id, content };
  }
}

const lines = (ids: readonly string[]) => ids.map((id) => `${id}\n`).join('');
