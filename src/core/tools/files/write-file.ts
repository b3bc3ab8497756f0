import { z } from 'zod';
import { defineTool } from '../tool.ts';
import { spellFailures } from '../../paths/file-failure.ts';
import { replaceFile } from './replace-file.ts';

const MAX_CONTENT = 10_000_000;

export const writeFileTool = defineTool({
  name: 'write_file',
  description:
    'Writes a text file of the workspace: a new one, with the folders above it, or the whole of one that is there. ' +
    'What was in the file before is gone, so read it first. To change a part of a file use edit_file.',
  input: z.object({
    path: z.string().describe('The file, relative to the workspace'),
    content: z.string().max(MAX_CONTENT).describe('All that the file is to contain'),
  }),
  isReadOnly: false,
  danger: 'medium',
  plan: ({ path, content }, { signal }) => ({
    access: { paths: [{ path, does: 'write' }] },
    run: ({ paths: [place = ''] }) =>
      spellFailures(path, async () => {
        signal.throwIfAborted();
        const wasThere = await replaceFile(place, content);
        return {
          content: `${wasThere ? 'Replaced' : 'Created'} ${path}, ${Buffer.byteLength(content)} bytes`,
        };
      }),
  }),
});
