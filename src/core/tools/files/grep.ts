import { stat } from 'node:fs/promises';
import { basename, relative } from 'node:path';
import { z } from 'zod';
import { defineTool, isToolFailure, ToolFailure, type ToolScope } from '../tool.ts';
import { batched } from './batched.ts';
import { escapeInvisible } from '../../text/escape-invisible.ts';
import { OutputLines } from './output-lines.ts';
import { codeOf, translateFileErrors } from '../../paths/file-errors.ts';
import { globPattern } from './glob-pattern.ts';
import { openVerified } from '../../paths/open-verified.ts';
import { type FoundLine, PatternThread } from './pattern-thread.ts';
import { displayPath } from '../../paths/display-path.ts';
import { formatGaps } from './search-files.ts';
import { walkFiles, type WalkGaps } from './walk-files.ts';

const MAX_MATCHES = 1000;
const MiB = 1024 * 1024;
/** The size limits of a file that is named by its path, and of one that is found in a directory. */
const MAX_NAMED = 64 * MiB;
const MAX_FOUND = 4 * MiB;
/** The files that are read and searched at a time. */
const BATCH = 16;

export const grepTool = defineTool({
  name: 'grep',
  description:
    'Searches what text files contain, line by line, with a regular expression (JavaScript; escape . ( [ { etc.). ' +
    'Returns `path:line:text` for each match, `path-line-text` for lines of context. Folders named .git and ' +
    'node_modules, binary files, large files and files with secrets are left out. To find files by name use search_files.',
  input: z.object({
    pattern: z.string().min(1).max(1000).describe('A regular expression, such as function\\s+load'),
    path: z.string().optional().describe('The file or folder to search; default: the workspace'),
    glob: z.string().min(1).max(1000).optional().describe('Only files that match, such as *.ts'),
    ignoreCase: z.boolean().optional(),
    context: z.int().min(0).max(20).optional().describe('How many lines to show around each match'),
  }),
  isReadOnly: true,
  danger: 'low',
  plan: ({ pattern, path = '.', glob, ignoreCase = false, context = 0 }, { workspace, signal }) => {
    const line = linePattern(pattern, ignoreCase);
    const name = glob === undefined ? undefined : globPattern(glob);
    return {
      access: { paths: [{ path, operation: 'read' }] },
      run: (scope) =>
        translateFileErrors(path, async () => {
          const [root = ''] = scope.paths;
          await using thread = new PatternThread({ path: name, line }, signal);
          const gaps: Gaps = { unreadable: 0, isCut: false, large: 0, unreadableFiles: 0 };
          const isDirectory = (await stat(root)).isDirectory();
          const walk = isDirectory
            ? walkFiles({ root, requested: `${glob ?? ''}/${path}`, scope, signal }, gaps)
            : undefined;
          const output = new OutputLines();
          let left = MAX_MATCHES;
          for await (const paths of walk ? batched(walk, BATCH) : [[root]]) {
            const chosen =
              walk && name ? await thread.testPaths(paths.map((file) => relative(root, file))) : [];
            const files = walk
              ? await readFound(
                  await readable(
                    paths.filter((file, index) => chosen[index] !== false && scope.mayRead(file)),
                    scope,
                  ),
                  gaps,
                )
              : [await readBytes(root, MAX_NAMED)];
            const bytes = files.map((file) => file.bytes);
            const found = await thread.search(bytes, { context, maxMatches: left });
            left -= found.filter(({ isMatch }) => isMatch).length;
            const names = files.map((file) => escapeInvisible(displayPath(workspace, file.path)));
            if (!addFound(output, found, names, context > 0) || left <= 0)
              return { content: output.finish('There are more. Use a narrower pattern, a glob, or a path') };
          }
          return {
            content: output.finish(
              output.lines.length === 0 && 'No line matches',
              gaps.large > 0 &&
                `${gaps.large} files over ${MAX_FOUND / MiB} MiB were left out. Name one with path`,
              gaps.unreadableFiles > 0 && `${gaps.unreadableFiles} files could not be read`,
              ...formatGaps(gaps),
            ),
          };
        }),
    };
  },
});

interface Gaps extends WalkGaps {
  large: number;
  unreadableFiles: number;
}

interface FileBytes {
  path: string;
  bytes: Uint8Array<ArrayBuffer>;
}

class TooLarge extends ToolFailure {}

/** Leaves out files that hold credentials by their content; those that do by their name are not among them. */
async function readable(paths: string[], { isSecret }: ToolScope): Promise<string[]> {
  if (!isSecret) return paths;
  const secrets = await Promise.all(paths.map(isSecret));
  return paths.filter((_, index) => !secrets[index]);
}

function linePattern(pattern: string, ignoreCase: boolean): RegExp {
  // Other engines accept this prefix, and models use it.
  const [, inline, plain = ''] = /^(\(\?i\))?(.*)$/s.exec(pattern) ?? [];
  const flags = (ignoreCase || inline ? 'i' : '') + (/\\p\{|\\u\{/i.test(plain) ? 'u' : '');
  try {
    return new RegExp(plain, flags);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ToolFailure(`This is not a regular expression: ${reason}`, { cause });
  }
}

async function readBytes(path: string, max: number): Promise<FileBytes> {
  await using file = await openVerified(path);
  const { size } = await file.stat();
  if (size > max) throw new TooLarge(`${basename(path)} is larger than ${max / MiB} MiB`);
  // Its own buffer, so that it can be transferred to the thread.
  const bytes = new Uint8Array(size);
  const { bytesRead } = await file.read(bytes, 0, size, 0);
  return { path, bytes: bytes.subarray(0, bytesRead) };
}

/** Reads the files that can be read, in order, and counts the others as gaps. */
async function readFound(paths: string[], gaps: Gaps): Promise<FileBytes[]> {
  const all = paths.map(async (path) => {
    try {
      return [await readBytes(path, MAX_FOUND)];
    } catch (error) {
      if (error instanceof TooLarge) gaps.large++;
      else if (isToolFailure(error) || codeOf(error)) gaps.unreadableFiles++;
      else throw error;
      return [];
    }
  });
  return (await Promise.all(all)).flat();
}

/** Returns false once the output is full. */
function addFound(output: OutputLines, found: FoundLine[], names: string[], isSeparated: boolean): boolean {
  let before: FoundLine | undefined;
  for (const one of found) {
    const isNext = before?.file === one.file && before.line + 1 === one.line;
    if (isSeparated && !isNext && output.lines.length > 0 && !output.add('--')) return false;
    const between = one.isMatch ? ':' : '-';
    if (!output.add(`${names[one.file]}${between}${one.line}${between}${one.text}`)) return false;
    before = one;
  }
  return true;
}
