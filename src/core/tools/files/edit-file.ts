import { z } from 'zod';
import { defineTool, ToolFailure } from '../tool.ts';
import { translateFileErrors } from '../../paths/file-errors.ts';
import { openVerified } from '../../paths/open-verified.ts';
import { readText } from './read-lines.ts';
import { replaceFile } from './replace-file.ts';

const MAX_BYTES = 10_000_000;
const MAX_NAMED_LINES = 10;

export const editFileTool = defineTool({
  name: 'edit_file',
  description:
    'Replaces a text in a file of the workspace. oldText has to be in the file exactly as it is given, with its white space ' +
    'and without line numbers, and only once: include enough of the surrounding lines. With replaceAll every occurrence ' +
    'is replaced. Read the file first. The line ends of the file stay as they are.',
  input: z.object({
    path: z.string().describe('The file, relative to the workspace'),
    oldText: z.string().min(1).max(MAX_BYTES).describe('What to replace'),
    newText: z.string().max(MAX_BYTES).describe('What to put there'),
    replaceAll: z.boolean().optional().describe('Replace every occurrence instead of the only one'),
  }),
  isReadOnly: false,
  danger: 'medium',
  plan: ({ path, oldText, newText, replaceAll = false }, { signal, umask }) => {
    if (oldText === newText) throw new ToolFailure('oldText and newText are the same');
    return {
      access: { paths: [{ path, operation: 'write' }] },
      run: ({ paths: [realPath = ''], keeper }) =>
        translateFileErrors(path, async () => {
          await using file = await openVerified(realPath);
          const before = await file.stat({ bigint: true });
          const text = await readText(file, path, MAX_BYTES);
          const [old, replacement] = withLineEnds(text, oldText, newText);
          const parts = text.split(old);
          const lines = linesOf(parts, old);
          if (lines.length === 0) throw new ToolFailure(notFound(path, text, oldText));
          if (lines.length > 1 && !replaceAll)
            throw new ToolFailure(
              `oldText is ${lines.length} times in ${path}, on ${formatLines(lines)}. ` +
                'Include more of the surrounding lines, or set replaceAll',
            );
          signal.throwIfAborted();
          await replaceFile(realPath, parts.join(replacement), { before, umask, keeper });
          return { content: `Replaced the text in ${path} on ${formatLines(lines)}` };
        }),
    };
  },
});

/** Models write line feeds, so in a file whose lines all end in CRLF they are converted. */
function withLineEnds(text: string, oldText: string, newText: string): [string, string] {
  const isCrlf = text.includes('\r\n') && !/(?<!\r)\n/.test(text);
  if (!isCrlf) return [oldText, newText];
  const toCrlf = (part: string) => part.replace(/\r?\n/g, '\r\n');
  return [toCrlf(oldText), toCrlf(newText)];
}

/** The line on which each occurrence begins. */
function linesOf(parts: string[], old: string): number[] {
  const countEnds = (part: string) => part.split('\n').length - 1;
  const inOld = countEnds(old);
  let line = 1;
  return parts.slice(0, -1).map((part, index) => (line += countEnds(part) + (index > 0 ? inOld : 0)));
}

const formatLines = (lines: number[]) =>
  lines.length === 1
    ? `line ${lines[0]}`
    : `lines ${lines.slice(0, MAX_NAMED_LINES).join(', ')}${lines.length > MAX_NAMED_LINES ? ' …' : ''}`;

function notFound(path: string, text: string, oldText: string): string {
  const trimmed = (lines: string) => lines.split('\n').map((line) => line.trim());
  const search = trimmed(oldText.trim());
  const lines = trimmed(text);
  const similar = lines.findIndex((_, at) => search.every((line, ahead) => lines[at + ahead] === line));
  return similar < 0
    ? `oldText is not in ${path}. Read the file and give the text exactly as it is there`
    : `oldText is not in ${path} exactly: line ${similar + 1} differs only in white space`;
}
