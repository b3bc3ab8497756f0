import type { Dirent } from 'node:fs';
import { lstat, opendir, readlink } from 'node:fs/promises';
import { z } from 'zod';
import { defineTool } from '../tool.ts';
import { showName } from '../../text/show-name.ts';
import { OutputLines } from './cut-output.ts';
import { codeOf, spellFailures } from '../../paths/file-failure.ts';
import { openVerifiedFolder, type VerifiedFolder } from '../../paths/open-verified.ts';

const MAX_SHOWN = 1000;
/** Of a folder with more entries than this, what is shown are the first of as many as were read. */
const MAX_ENTRIES = 100_000;

export const listDirectoryTool = defineTool({
  name: 'list_directory',
  description:
    'Lists one folder of the workspace, sorted by name, without what is in its folders. Each line: the kind (file, folder, ' +
    'link or other), for a file its size in bytes, the name. To find files in all folders use search_files.',
  input: z.object({
    path: z.string().optional().describe('The folder, relative to the workspace; the workspace if left out'),
  }),
  isReadOnly: true,
  danger: 'low',
  plan: ({ path = '.' }, { signal }) => ({
    access: { paths: [{ path, does: 'read' }] },
    run: ({ paths: [place = ''] }) =>
      spellFailures(path, async () => {
        await using folder = await openVerifiedFolder(place);
        const entries = await readEntries(folder, MAX_ENTRIES, signal);
        const output = new OutputLines();
        for (const entry of entries.slice(0, MAX_SHOWN)) {
          signal.throwIfAborted();
          if (!output.add(await describe(folder, entry))) break;
        }
        const shown = output.lines.length;
        const count = entries.length >= MAX_ENTRIES ? `more than ${MAX_ENTRIES}` : String(entries.length);
        return {
          content: output.end(
            entries.length === 0 && 'The folder is empty',
            shown < entries.length &&
              `${shown} of ${count} entries. To see others, use search_files with a pattern and this path`,
          ),
        };
      }),
  }),
});

/** The entries of an open folder, sorted by name; at most as many as asked for. */
export async function readEntries(
  folder: VerifiedFolder,
  max: number,
  signal: AbortSignal,
): Promise<Dirent[]> {
  const entries: Dirent[] = [];
  for await (const entry of await opendir(folder.path, { bufferSize: 256 })) {
    signal.throwIfAborted();
    entries.push(entry);
    if (entries.length >= max) break;
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function describe(folder: VerifiedFolder, entry: Dirent): Promise<string> {
  const name = showName(entry.name);
  if (entry.isDirectory()) return `folder ${name}/`;
  try {
    if (entry.isFile()) return `file ${(await lstat(folder.entry(entry.name))).size} ${name}`;
    if (entry.isSymbolicLink())
      return `link ${name} -> ${showName(await readlink(folder.entry(entry.name)))}`;
  } catch (error) {
    // It may be gone already, or be another thing now.
    if (!['ENOENT', 'EINVAL', 'EACCES'].includes(codeOf(error) ?? '')) throw error;
  }
  return `other ${name}`;
}
