import { z } from 'zod';
import { defineTool, ToolFailure } from '../tool.ts';
import { cutLine, OutputLines } from './output-lines.ts';
import { translateFileErrors } from '../../paths/file-errors.ts';
import { openVerified } from '../../paths/open-verified.ts';
import { readLines } from './read-lines.ts';

const DEFAULT_LINES = 2000;
const MAX_LINE = 2000;
const MAX_BYTES = 64 * 1024 * 1024;

export const readFileTool = defineTool({
  name: 'read_file',
  description:
    'Reads a text file of the workspace. Each line of the output is a line number, a tab and the line. A long file comes in ' +
    'parts: the end of the output names the offset to continue with. Read a file before you edit it. For a folder use ' +
    'list_directory, to find something in many files use grep.',
  input: z.object({
    path: z.string().describe('The file, relative to the workspace'),
    offset: z.int().min(1).optional().describe('The number of the first line to read; default: 1'),
    limit: z.int().min(1).max(100_000).optional().describe(`How many lines; default: ${DEFAULT_LINES}`),
  }),
  isReadOnly: true,
  danger: 'low',
  plan: ({ path, offset = 1, limit = DEFAULT_LINES }, { signal }) => ({
    access: { paths: [{ path, operation: 'read' }] },
    run: ({ paths: [realPath = ''] }) =>
      translateFileErrors(path, async () => {
        await using file = await openVerified(realPath);
        const output = new OutputLines();
        let last = 0;
        for await (const line of readLines(file, path, { maxLine: MAX_LINE, maxBytes: MAX_BYTES })) {
          signal.throwIfAborted();
          last = line.number;
          if (last < offset) continue;
          // A byte order mark is not part of the text.
          const text = last === 1 ? line.text.replace(/^\uFEFF/, '') : line.text;
          const shown = `${last}\t${cutLine(text, line.length, MAX_LINE)}`;
          if (last >= offset + limit || !output.add(shown))
            return { content: output.finish(`There is more. Continue with offset ${last}`) };
        }
        if (last === 0) return { content: '(The file is empty)' };
        if (last < offset) throw new ToolFailure(`${path} has only ${last} lines`);
        return { content: output.finish() };
      }),
  }),
});
