import { relative } from 'node:path';
import { z } from 'zod';
import { defineTool } from '../tool.ts';
import { batched } from './batched.ts';
import { escapeInvisible } from '../../text/escape-invisible.ts';
import { OutputLines } from './output-lines.ts';
import { translateFileErrors } from '../../paths/file-errors.ts';
import { globPattern } from './glob-pattern.ts';
import { PatternThread } from './pattern-thread.ts';
import { displayPath } from '../../paths/display-path.ts';
import { walkFiles, type WalkGaps } from './walk-files.ts';

const MAX_FOUND = 1000;
/** Large enough to amortize the message to the thread, small enough to return soon. */
const BATCH = 1000;

export const searchFilesTool = defineTool({
  name: 'search_files',
  description:
    'Finds files by name, recursively. The pattern is a glob: `*.ts` means that name in any folder, ' +
    '`src/**/*.test.ts` a path from the folder that is searched. Returns paths relative to the workspace, sorted. ' +
    'Folders named .git and node_modules are left out unless the pattern or the path names them. Links are not ' +
    'followed. To search the contents of files use grep.',
  input: z.object({
    pattern: z.string().min(1).max(1000).describe('A glob, such as *.ts or src/**/*.json'),
    path: z.string().optional().describe('The folder to search; default: the workspace'),
  }),
  isReadOnly: true,
  danger: 'low',
  plan: ({ pattern, path = '.' }, { workspace, signal }) => {
    const glob = globPattern(pattern);
    return {
      access: { paths: [{ path, operation: 'read' }] },
      run: (scope) =>
        translateFileErrors(path, async () => {
          const [root = ''] = scope.paths;
          await using thread = new PatternThread({ path: glob }, signal);
          const gaps: WalkGaps = { unreadable: 0, isCut: false };
          const walk = walkFiles({ root, requested: `${pattern}/${path}`, scope, signal }, gaps);
          const output = new OutputLines();
          for await (const paths of batched(walk, BATCH)) {
            const matches = await thread.testPaths(paths.map((file) => relative(root, file)));
            for (const file of paths.filter((_, index) => matches[index]))
              if (
                output.lines.length >= MAX_FOUND ||
                !output.add(escapeInvisible(displayPath(workspace, file)))
              )
                return {
                  content: output.finish('There are more. Set path to a folder, or use a narrower pattern'),
                };
          }
          return {
            content: output.finish(
              output.lines.length === 0 && `No file matches ${pattern}`,
              ...formatGaps(gaps),
            ),
          };
        }),
    };
  },
});

/** Notes for the model on directories that a walk did not cover. */
export const formatGaps = ({ unreadable, isCut }: WalkGaps): (string | false)[] => [
  unreadable > 0 && `${unreadable} folders could not be read`,
  isCut && 'There are too many files, so not all folders were searched. Set path to a folder',
];
