import { z } from 'zod';
import { defineTool, ToolFailure } from '../tool.ts';
import { cutLine, OutputLines } from './cut-output.ts';
import { spellFailures } from '../../paths/file-failure.ts';
import { openVerified } from '../../paths/open-verified.ts';
import { readLines } from './read-lines.ts';

const DEFAULT_LINES = 2000;
const MAX_LINE = 2000;
const MAX_BYTES = 64 * 1024 * 1024;

export const readFileTool = defineTool({
  name: 'read_file',
  description:
    'Reads a text file of the workspace. Each line of the answer is a line number, a tab and the line. A long file comes in ' +
    'parts: the end of the answer says with which offset to go on. Read a file before you edit it. For a folder use ' +
    'list_directory, to find something in many files use grep.',
  input: z.object({
    path: z.string().describe('The file, relative to the workspace'),
    offset: z.int().min(1).optional().describe('The number of the first line to read; 1 if left out'),
    limit: z.int().min(1).max(100_000).optional().describe(`How many lines; ${DEFAULT_LINES} if left out`),
  }),
  isReadOnly: true,
  danger: 'low',
  plan: ({ path, offset = 1, limit = DEFAULT_LINES }, { signal }) => ({
    access: { paths: [{ path, does: 'read' }] },
    run: ({ paths: [place = ''] }) =>
      spellFailures(path, async () => {
        await using file = await openVerified(place);
        const output = new OutputLines();
        let last = 0;
        for await (const line of readLines(file, path, { maxLine: MAX_LINE, maxBytes: MAX_BYTES })) {
          signal.throwIfAborted();
          last = line.number;
          if (last < offset) continue;
          // The mark at the beginning of a file is not a part of its text.
          const text = last === 1 ? line.text.replace(/^\uFEFF/, '') : line.text;
          const shown = `${last}\t${cutLine(text, line.length, MAX_LINE)}`;
          if (last >= offset + limit || !output.add(shown))
            return { content: output.end(`There is more. Go on with offset ${last}`) };
        }
        if (last === 0) return { content: '(The file is empty)' };
        if (last < offset) throw new ToolFailure(`${path} has only ${last} lines`);
        return { content: output.end() };
      }),
  }),
});
