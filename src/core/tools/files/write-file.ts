import { z } from 'zod';
import { defineTool } from '../tool.ts';
import { translateFileErrors } from '../../paths/file-errors.ts';
import { replaceFile } from './replace-file.ts';

const MAX_CONTENT = 10_000_000;

export const writeFileTool = defineTool({
  name: 'write_file',
  description:
    'Writes a text file of the workspace: creates it with its parent folders, or replaces the complete existing file. ' +
    'The previous content is lost, so read the file first. To change a part of a file use edit_file.',
  input: z.object({
    path: z.string().describe('The file, relative to the workspace'),
    content: z.string().max(MAX_CONTENT).describe('The complete content of the file'),
  }),
  isReadOnly: false,
  danger: 'medium',
  plan: ({ path, content }, { signal, umask }) => ({
    access: { paths: [{ path, operation: 'write' }] },
    run: ({ paths: [realPath = ''], keeper }) =>
      translateFileErrors(path, async () => {
        signal.throwIfAborted();
        const existed = await replaceFile(realPath, content, { umask, keeper });
        return {
          content: `${existed ? 'Replaced' : 'Created'} ${path}, ${Buffer.byteLength(content)} bytes`,
        };
      }),
  }),
});
