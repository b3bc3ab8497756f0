import { z } from 'zod';
import { type ChangePreview, defineTool, isToolFailure, ToolFailure } from '../tool.ts';
import { PathError } from '../../paths/path-error.ts';
import { translateFileErrors } from '../../paths/file-errors.ts';
import { type FileState, MAX_FILE_BYTES, readFileState, requireBasis } from './file-state.ts';
import { replaceFile } from './replace-file.ts';

const MAX_NAMED_LINES = 10;

export const editFileTool = defineTool({
  name: 'edit_file',
  description:
    'Replaces a text in a file of the workspace. oldText has to be in the file exactly as it is given, with its white space ' +
    'and without line numbers, and only once: include enough of the surrounding lines. With replaceAll every occurrence ' +
    'is replaced. Read the file first. The line ends of the file stay as they are.',
  input: z.object({
    path: z.string().describe('The file, relative to the workspace'),
    oldText: z.string().min(1).max(MAX_FILE_BYTES).describe('What to replace'),
    newText: z.string().max(MAX_FILE_BYTES).describe('What to put there'),
    replaceAll: z.boolean().optional().describe('Replace every occurrence instead of the only one'),
  }),
  isReadOnly: false,
  danger: 'medium',
  plan: ({ path, ...edit }, { signal, umask }) => {
    if (edit.oldText === edit.newText) throw new ToolFailure('oldText and newText are the same');
    return {
      access: { paths: [{ path, operation: 'write' }] },
      preview: ({ paths: [realPath = ''] }) =>
        translateFileErrors(path, async () => previewEdit(await readFileState(realPath, path), path, edit)),
      run: ({ paths: [realPath = ''], basis, keeper }) =>
        translateFileErrors(path, async () => {
          const state = await readFileState(realPath, path);
          requireBasis(state, basis, path);
          const { text, lines } = applyEdit(state, path, edit);
          signal.throwIfAborted();
          await replaceFile(realPath, text, { before: state.stats, umask, keeper });
          return { content: `Replaced the text in ${path} on ${formatLines(lines)}` };
        }),
    };
  },
});

interface Edit {
  oldText: string;
  newText: string;
  replaceAll?: boolean | undefined;
}

function previewEdit(state: FileState, path: string, edit: Edit): ChangePreview {
  const { basis, text: before } = state;
  try {
    const { text: after } = applyEdit(state, path, edit);
    return { path, basis, change: { before: typeof before === 'string' ? before : undefined, after } };
  } catch (error) {
    if (isToolFailure(error)) return { path, basis, failure: error };
    throw error;
  }
}

/** The text of the file after the edit, and the lines on which it was replaced. */
function applyEdit(
  { stats, text }: FileState,
  path: string,
  { oldText, newText, replaceAll = false }: Edit,
): { text: string; lines: number[] } {
  if (!stats) throw new PathError(`There is no ${path}`);
  if (typeof text !== 'string') throw text;
  const [old, replacement] = withLineEnds(text, oldText, newText);
  const parts = text.split(old);
  const lines = linesOf(parts, old);
  if (lines.length === 0) throw new ToolFailure(notFound(path, text, oldText));
  if (lines.length > 1 && !replaceAll)
    throw new ToolFailure(
      `oldText is ${lines.length} times in ${path}, on ${formatLines(lines)}. ` +
        'Include more of the surrounding lines, or set replaceAll',
    );
  return { text: parts.join(replacement), lines };
}

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
