import { realpath } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { fileWords } from '../guards/file-words.ts';
import type { PathAccess } from '../tool.ts';
import { isInside } from '../../paths/real-path.ts';

/** The paths in the arguments of a command, also after an option or a colon, so that guards check them like any path. */
export async function argumentPaths(
  argv: readonly string[],
  cwd: string,
  /** In a sandbox, only paths inside the workspace, and the other directories that it shows, need a check. */
  sandboxed?: { workspace: string; others?: readonly string[] },
): Promise<PathAccess[]> {
  const paths = new Set<string>();
  // The addresses of a sed script look like absolute paths.
  for (const argument of argv[0] === 'sed' ? fileWords([...argv]) : argv.slice(1))
    for (const candidate of [argument, ...valuesIn(argument)]) {
      if (candidate === '' || candidate.includes('\0') || paths.has(candidate)) continue;
      const path = resolve(cwd, candidate);
      const real = await realpath(path).catch(() => undefined);
      const leadsAway = isAbsolute(candidate) || candidate.split('/').includes('..');
      if (
        sandboxed
          ? real !== undefined &&
            [sandboxed.workspace, ...(sandboxed.others ?? [])].some((shown) => isInside(shown, real))
          : real !== undefined || leadsAway
      )
        paths.add(path);
    }
  return [...paths].map((path) => ({ path, operation: 'read' }));
}

function valuesIn(argument: string): string[] {
  const values = [/=(.*)$/s, /:(.*)$/s, /^-\w(.+)$/s].map((pattern) => pattern.exec(argument)?.[1]);
  return values.filter((value) => value !== undefined);
}
