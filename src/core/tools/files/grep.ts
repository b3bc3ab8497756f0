import { stat } from 'node:fs/promises';
import { basename, relative } from 'node:path';
import { z } from 'zod';
import { defineTool, isToolFailure, ToolFailure } from '../tool.ts';
import { batched } from './batched.ts';
import { showName } from '../../text/show-name.ts';
import { OutputLines } from './cut-output.ts';
import { codeOf, spellFailures } from '../../paths/file-failure.ts';
import { globPattern } from './glob-pattern.ts';
import { openVerified } from '../../paths/open-verified.ts';
import { type FoundLine, PatternThread } from './pattern-thread.ts';
import { nameOf } from '../../paths/place-names.ts';
import { spellGaps } from './search-files.ts';
import { walkFiles, type WalkGaps } from './walk-files.ts';

const MAX_MATCHES = 1000;
const MiB = 1024 * 1024;
/** Of a file that was named, and of one that was met on the way. */
const MAX_NAMED = 64 * MiB;
const MAX_MET = 4 * MiB;
/** Files that are read at once, and asked about together. */
const BATCH = 16;

export const grepTool = defineTool({
  name: 'grep',
  description:
    'Searches what text files contain, line by line, with a regular expression (JavaScript; escape . ( [ { and the like). ' +
    'Answers `path:line:text` for each match, `path-line-text` for lines of context. Folders named .git and ' +
    'node_modules, binary files, large files and files with secrets are left out. To find files by name use search_files.',
  input: z.object({
    pattern: z.string().min(1).max(1000).describe('A regular expression, such as function\\s+load'),
    path: z.string().optional().describe('The file or folder to search; the workspace if left out'),
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
      access: { paths: [{ path, does: 'read' }] },
      run: (scope) =>
        spellFailures(path, async () => {
          const [root = ''] = scope.paths;
          await using thread = new PatternThread({ path: name, line }, signal);
          const gaps: Gaps = { unreadable: 0, isCut: false, large: 0, gone: 0 };
          const isFolder = (await stat(root)).isDirectory();
          const met = isFolder
            ? walkFiles({ root, asked: `${glob ?? ''}/${path}`, scope, signal }, gaps)
            : undefined;
          const output = new OutputLines();
          let left = MAX_MATCHES;
          for await (const places of met ? batched(met, BATCH) : [[root]]) {
            const chosen =
              met && name ? await thread.testPaths(places.map((place) => relative(root, place))) : [];
            const files = met
              ? await readMet(
                  places.filter((place, index) => chosen[index] !== false && scope.mayRead(place)),
                  gaps,
                )
              : [await readBytes(root, MAX_NAMED)];
            const bytes = files.map((file) => file.bytes);
            const found = await thread.search(bytes, { context, maxMatches: left });
            left -= found.filter(({ isMatch }) => isMatch).length;
            const names = files.map(({ place }) => showName(nameOf(workspace, place)));
            if (!addFound(output, found, names, context > 0) || left <= 0)
              return { content: output.end('There are more. Use a narrower pattern, a glob, or a path') };
          }
          return {
            content: output.end(
              output.lines.length === 0 && 'No line matches',
              gaps.large > 0 &&
                `${gaps.large} files over ${MAX_MET / MiB} MiB were left out. Name one with path`,
              gaps.gone > 0 && `${gaps.gone} files could not be read`,
              ...spellGaps(gaps),
            ),
          };
        }),
    };
  },
});

interface Gaps extends WalkGaps {
  large: number;
  gone: number;
}

interface FileBytes {
  place: string;
  bytes: Uint8Array<ArrayBuffer>;
}

class TooLarge extends ToolFailure {}

function linePattern(pattern: string, ignoreCase: boolean): RegExp {
  // Other engines take this at the beginning, and models know it.
  const [, inline, plain = ''] = /^(\(\?i\))?(.*)$/s.exec(pattern) ?? [];
  const flags = (ignoreCase || inline ? 'i' : '') + (/\\p\{|\\u\{/i.test(plain) ? 'u' : '');
  try {
    return new RegExp(plain, flags);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ToolFailure(`This is not a regular expression: ${reason}`, { cause });
  }
}

async function readBytes(place: string, max: number): Promise<FileBytes> {
  await using file = await openVerified(place);
  const { size } = await file.stat();
  if (size > max) throw new TooLarge(`${basename(place)} is larger than ${max / MiB} MiB`);
  // Memory of its own, to be handed to the thread.
  const bytes = new Uint8Array(size);
  const { bytesRead } = await file.read(bytes, 0, size, 0);
  return { place, bytes: bytes.subarray(0, bytesRead) };
}

/** Of the files that were met on the way those that can be read, in their order. */
async function readMet(places: string[], gaps: Gaps): Promise<FileBytes[]> {
  const all = places.map(async (place) => {
    try {
      return [await readBytes(place, MAX_MET)];
    } catch (error) {
      if (error instanceof TooLarge) gaps.large++;
      else if (isToolFailure(error) || codeOf(error)) gaps.gone++;
      else throw error;
      return [];
    }
  });
  return (await Promise.all(all)).flat();
}

/** False when the answer is full. */
function addFound(output: OutputLines, found: FoundLine[], names: string[], isApart: boolean): boolean {
  let before: FoundLine | undefined;
  for (const one of found) {
    const isNext = before?.file === one.file && before.line + 1 === one.line;
    if (isApart && !isNext && output.lines.length > 0 && !output.add('--')) return false;
    const between = one.isMatch ? ':' : '-';
    if (!output.add(`${names[one.file]}${between}${one.line}${between}${one.text}`)) return false;
    before = one;
  }
  return true;
}
