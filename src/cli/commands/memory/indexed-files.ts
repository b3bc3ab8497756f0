import { ApiError } from '../../../contract/client.ts';
import type { Chunk, IndexedFile } from '../../../contract/memory.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { formatAge } from '../../output/duration.ts';
import { formatSize } from '../../../contract/format-size.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { pathShower, toIndexedPath } from './shown-path.ts';

export interface FilesOptions {
  limit?: number;
  offset?: number;
  json?: boolean;
  quiet?: boolean;
}

/** `svc memory files`. */
export async function listIndexedFiles(
  cli: Cli,
  { limit, offset = 0, json, quiet }: FilesOptions,
): Promise<void> {
  const { output } = cli;
  const answer = await cli.connect().client.memory.listFiles({
    query: { offset, ...(limit !== undefined && { limit }) },
  });
  if (json) return output.json(answer);
  const { files, total } = answer;
  if (quiet) return files.forEach(({ path }) => output.line(path));
  if (files.length === 0)
    return output.note(
      total === 0
        ? 'Nothing is indexed yet. Index a directory: svc memory sync DIRECTORY'
        : 'No matching files.',
    );
  const now = Date.now();
  const show = pathShower(cli);
  output.table<IndexedFile>(
    [
      { title: 'CHUNKS', value: ({ chunkCount }) => String(chunkCount), align: 'right' },
      { title: 'SIZE', value: ({ size }) => formatSize(size), align: 'right' },
      { title: 'INDEXED', value: ({ updatedAt }) => formatAge(updatedAt, now) },
      { title: 'PATH', value: ({ path }) => show(path) },
    ],
    files,
  );
  if (offset + files.length < total)
    output.note(output.paintError('dim', `${files.length} of ${total}. More: --limit, --offset`));
}

/** `svc memory show PATH`: what the index holds of a file. */
export async function showIndexedFile(
  cli: Cli,
  text: string,
  { json, quiet }: { json?: boolean; quiet?: boolean },
): Promise<void> {
  const { output } = cli;
  const path = toIndexedPath(cli, text);
  const answer = await cli
    .connect()
    .client.memory.listChunks({ params: { path } })
    .catch((error: unknown) => {
      throw error instanceof ApiError && error.status === 404 ? notIndexed(path, error) : error;
    });
  if (json) return output.json(answer);
  if (quiet) return output.write(answer.chunks.map(({ id }) => `${id}\n`).join(''));
  for (const [at, chunk] of answer.chunks.entries()) {
    output.write(`${at === 0 ? '' : '\n'}${output.paint('cyan', headline(chunk))}\n`);
    output.text(chunk.text.replaceAll(/^(?=.)/gm, '  ').concat('\n'));
  }
}

/** The error for a path that is not in the index. */
export const notIndexed = (path: string, cause: unknown) =>
  new CliError(exitCodes.notFound, `${path} is not indexed.`, {
    next: 'List indexed files: svc memory files',
    cause,
  });

const headline = ({ id, startLine, endLine, heading }: Chunk) =>
  [
    id,
    startLine === endLine ? `line ${startLine}` : `lines ${startLine}-${endLine}`,
    heading && escapeLine(heading),
  ]
    .filter(Boolean)
    .join('  ');
