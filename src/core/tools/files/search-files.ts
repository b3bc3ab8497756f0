import { relative } from 'node:path';
import { z } from 'zod';
import { defineTool } from '../tool.ts';
import { batched } from './batched.ts';
import { showName } from '../../text/show-name.ts';
import { OutputLines } from './cut-output.ts';
import { spellFailures } from '../../paths/file-failure.ts';
import { globPattern } from './glob-pattern.ts';
import { PatternThread } from './pattern-thread.ts';
import { nameOf } from '../../paths/place-names.ts';
import { walkFiles, type WalkGaps } from './walk-files.ts';

const MAX_FOUND = 1000;
/** Enough that asking the thread costs little, few enough that an answer comes soon. */
const BATCH = 1000;

export const searchFilesTool = defineTool({
  name: 'search_files',
  description:
    'Finds files by their names, in all folders below one. The pattern is a glob: `*.ts` means that name in any folder, ' +
    '`src/**/*.test.ts` a path from the folder that is searched. Answers paths relative to the workspace, sorted. ' +
    'Folders named .git and node_modules are left out unless the pattern or the path names them. Links are not ' +
    'followed. To search in what files contain use grep.',
  input: z.object({
    pattern: z.string().min(1).max(1000).describe('A glob, such as *.ts or src/**/*.json'),
    path: z.string().optional().describe('The folder to search; the workspace if left out'),
  }),
  isReadOnly: true,
  danger: 'low',
  plan: ({ pattern, path = '.' }, { workspace, signal }) => {
    const glob = globPattern(pattern);
    return {
      access: { paths: [{ path, does: 'read' }] },
      run: (scope) =>
        spellFailures(path, async () => {
          const [root = ''] = scope.paths;
          await using thread = new PatternThread({ path: glob }, signal);
          const gaps: WalkGaps = { unreadable: 0, isCut: false };
          const walk = walkFiles({ root, asked: `${pattern}/${path}`, scope, signal }, gaps);
          const output = new OutputLines();
          for await (const places of batched(walk, BATCH)) {
            const matches = await thread.testPaths(places.map((place) => relative(root, place)));
            for (const place of places.filter((_, index) => matches[index]))
              if (output.lines.length >= MAX_FOUND || !output.add(showName(nameOf(workspace, place))))
                return {
                  content: output.end('There are more. Name a folder with path, or a narrower pattern'),
                };
          }
          return {
            content: output.end(
              output.lines.length === 0 && `No file matches ${pattern}`,
              ...spellGaps(gaps),
            ),
          };
        }),
    };
  },
});

/** What the model should know about folders that a walk did not see. */
export const spellGaps = ({ unreadable, isCut }: WalkGaps): (string | false)[] => [
  unreadable > 0 && `${unreadable} folders could not be read`,
  isCut && 'Not all folders were searched, there are too many files. Name a folder with path',
];
