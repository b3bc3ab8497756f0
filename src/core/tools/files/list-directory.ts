import type { Dirent } from 'node:fs';
import { lstat, opendir, readlink } from 'node:fs/promises';
import { z } from 'zod';
import { defineTool } from '../tool.ts';
import { escapeInvisible } from '../../text/escape-invisible.ts';
import { OutputLines } from './output-lines.ts';
import { codeOf, translateFileErrors } from '../../paths/file-errors.ts';
import { openVerifiedDirectory, type VerifiedDirectory } from '../../paths/open-verified.ts';

const MAX_SHOWN = 1000;
/** The most entries to read; of a larger directory, the output lists the first of these. */
const MAX_ENTRIES = 100_000;

export const listDirectoryTool = defineTool({
  name: 'list_directory',
  description:
    'Lists one folder of the workspace, sorted by name, not recursively. Each line: the kind (file, folder, ' +
    'link or other), for a file its size in bytes, the name. To find files in all folders use search_files.',
  input: z.object({
    path: z.string().optional().describe('The folder, relative to the workspace; default: the workspace'),
  }),
  isReadOnly: true,
  danger: 'low',
  plan: ({ path = '.' }, { signal }) => ({
    access: { paths: [{ path, operation: 'read' }] },
    run: ({ paths: [realPath = ''] }) =>
      translateFileErrors(path, async () => {
        await using directory = await openVerifiedDirectory(realPath);
        const entries = await readEntries(directory, MAX_ENTRIES, signal);
        const output = new OutputLines();
        for (const entry of entries.slice(0, MAX_SHOWN)) {
          signal.throwIfAborted();
          if (!output.add(await describe(directory, entry))) break;
        }
        const shown = output.lines.length;
        const count = entries.length >= MAX_ENTRIES ? `more than ${MAX_ENTRIES}` : String(entries.length);
        return {
          content: output.finish(
            entries.length === 0 && 'The folder is empty',
            shown < entries.length &&
              `${shown} of ${count} entries. To see others, use search_files with a pattern and this path`,
          ),
        };
      }),
  }),
});

/** At most `max` entries of an open directory, sorted by name. */
export async function readEntries(
  directory: VerifiedDirectory,
  max: number,
  signal: AbortSignal,
): Promise<Dirent[]> {
  const entries: Dirent[] = [];
  for await (const entry of await opendir(directory.path, { bufferSize: 256 })) {
    signal.throwIfAborted();
    entries.push(entry);
    if (entries.length >= max) break;
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function describe(directory: VerifiedDirectory, entry: Dirent): Promise<string> {
  const name = escapeInvisible(entry.name);
  if (entry.isDirectory()) return `folder ${name}/`;
  try {
    if (entry.isFile()) return `file ${(await lstat(directory.entry(entry.name))).size} ${name}`;
    if (entry.isSymbolicLink())
      return `link ${name} -> ${escapeInvisible(await readlink(directory.entry(entry.name)))}`;
  } catch (error) {
    // The entry may have been removed or replaced meanwhile.
    if (!['ENOENT', 'EINVAL', 'EACCES'].includes(codeOf(error) ?? '')) throw error;
  }
  return `other ${name}`;
}
