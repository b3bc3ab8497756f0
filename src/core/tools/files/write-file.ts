import { z } from 'zod';
import { defineTool } from '../tool.ts';
import { translateFileErrors } from '../../paths/file-errors.ts';
import { MAX_FILE_BYTES, readFileState, requireBasis } from './file-state.ts';
import { replaceFile } from './replace-file.ts';

export const writeFileTool = defineTool({
  name: 'write_file',
  description:
    'Writes a text file of the workspace: creates it with its parent folders, or replaces the complete existing file. ' +
    'The previous content is lost, so read the file first. To change a part of a file use edit_file.',
  input: z.object({
    path: z.string().describe('The file, relative to the workspace'),
    content: z.string().max(MAX_FILE_BYTES).describe('The complete content of the file'),
  }),
  isReadOnly: false,
  danger: 'medium',
  plan: ({ path, content }, { signal, umask }) => ({
    access: { paths: [{ path, operation: 'write' }] },
    preview: ({ paths: [realPath = ''] }) =>
      translateFileErrors(path, async () => {
        const { basis, stats, text } = await readFileState(realPath, path);
        if (typeof text !== 'string') return { path, basis, problem: text.message };
        return { path, basis, change: { before: stats && text, after: content } };
      }),
    run: ({ paths: [realPath = ''], basis, keeper }) =>
      translateFileErrors(path, async () => {
        signal.throwIfAborted();
        const existed = await replaceFile(realPath, content, {
          umask,
          keeper,
          ...(basis !== undefined && { before: await allowedState(realPath, path, basis) }),
        });
        return {
          content: `${existed ? 'Replaced' : 'Created'} ${path}, ${Buffer.byteLength(content)} bytes`,
        };
      }),
  }),
});

/** The file whose replacement a person allowed, as it still has to be. */
async function allowedState(realPath: string, path: string, basis: string) {
  const state = await readFileState(realPath, path);
  requireBasis(state, basis, path);
  return state.stats ?? 'absent';
}
