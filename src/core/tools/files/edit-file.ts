import { z } from 'zod';
import { defineTool, ToolFailure } from '../tool.ts';
import { spellFailures } from '../../paths/file-failure.ts';
import { openVerified } from '../../paths/open-verified.ts';
import { readText } from './read-lines.ts';
import { replaceFile } from './replace-file.ts';

const MAX_BYTES = 10_000_000;
const MAX_NAMED_LINES = 10;

export const editFileTool = defineTool({
  name: 'edit_file',
  description:
    'Replaces a text in a file of the workspace. oldText has to be in the file exactly as it is given, with its white space ' +
    'and without line numbers, and only once: give enough of the lines around it. With replaceAll every place ' +
    'is replaced. Read the file first. The line ends of the file stay as they are.',
  input: z.object({
    path: z.string().describe('The file, relative to the workspace'),
    oldText: z.string().min(1).max(MAX_BYTES).describe('What to replace'),
    newText: z.string().max(MAX_BYTES).describe('What to put there'),
    replaceAll: z.boolean().optional().describe('Replace every place instead of the only one'),
  }),
  isReadOnly: false,
  danger: 'medium',
  plan: ({ path, oldText, newText, replaceAll = false }, { signal }) => {
    if (oldText === newText) throw new ToolFailure('oldText and newText are the same');
    return {
      access: { paths: [{ path, does: 'write' }] },
      run: ({ paths: [place = ''] }) =>
        spellFailures(path, async () => {
          await using file = await openVerified(place);
          const before = await file.stat({ bigint: true });
          const text = await readText(file, path, MAX_BYTES);
          const [old, put] = withLineEnds(text, oldText, newText);
          const deps = text.split(old);
          const lines = linesOf(deps, old);
          if (lines.length === 0) throw new ToolFailure(notFound(path, text, oldText));
          if (lines.length > 1 && !replaceAll)
            throw new ToolFailure(
              `oldText is ${lines.length} times in ${path}, on ${spellLines(lines)}. ` +
                'Give more of the lines around the one you mean, or set replaceAll',
            );
          signal.throwIfAborted();
          await replaceFile(place, deps.join(put), before);
          return { content: `Replaced the text in ${path} on ${spellLines(lines)}` };
        }),
    };
  },
});

/** Models write line feeds; in a file whose lines all end in CRLF they mean those. */
function withLineEnds(text: string, oldText: string, newText: string): [string, string] {
  const isCrlf = text.includes('\r\n') && !/(?<!\r)\n/.test(text);
  if (!isCrlf) return [oldText, newText];
  const toCrlf = (part: string) => part.replace(/\r?\n/g, '\r\n');
  return [toCrlf(oldText), toCrlf(newText)];
}

/** On which line each place begins. */
function linesOf(deps: string[], old: string): number[] {
  const countEnds = (part: string) => part.split('\n').length - 1;
  const inOld = countEnds(old);
  let line = 1;
  return deps.slice(0, -1).map((part, index) => (line += countEnds(part) + (index > 0 ? inOld : 0)));
}

const spellLines = (lines: number[]) =>
  lines.length === 1
    ? `line ${lines[0]}`
    : `lines ${lines.slice(0, MAX_NAMED_LINES).join(', ')}${lines.length > MAX_NAMED_LINES ? ' …' : ''}`;

function notFound(path: string, text: string, oldText: string): string {
  const trimmed = (lines: string) => lines.split('\n').map((line) => line.trim());
  const wanted = trimmed(oldText.trim());
  const lines = trimmed(text);
  const similar = lines.findIndex((_, at) => wanted.every((line, ahead) => lines[at + ahead] === line));
  return similar < 0
    ? `oldText is not in ${path}. Read the file and give the text exactly as it is there`
    : `oldText is not in ${path} exactly so: on line ${similar + 1} there is the same with other white space`;
}
