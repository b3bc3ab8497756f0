import { realpath } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import type { PathAccess } from '../tool.ts';
import { isInside } from '../../paths/real-path.ts';

/** Paths that a command is given, also behind an option or a colon: what it names is looked at like the path of any tool. */
export async function argumentPaths(
  argv: readonly string[],
  cwd: string,
  /** In a sandbox what is outside of the workspace is nobody's secret. */
  sandboxed?: { workspace: string },
): Promise<PathAccess[]> {
  const paths = new Set<string>();
  for (const argument of argv.slice(1))
    for (const given of [argument, ...behind(argument)]) {
      if (given === '' || given.includes('\0') || paths.has(given)) continue;
      const path = resolve(cwd, given);
      const real = await realpath(path).catch(() => undefined);
      const leadsAway = isAbsolute(given) || given.split('/').includes('..');
      if (
        sandboxed
          ? real !== undefined && isInside(sandboxed.workspace, real)
          : real !== undefined || leadsAway
      )
        paths.add(path);
    }
  return [...paths].map((path) => ({ path, does: 'read' }));
}

function behind(argument: string): string[] {
  const values = [/=(.*)$/s, /:(.*)$/s, /^-\w(.+)$/s].map((sign) => sign.exec(argument)?.[1]);
  return values.filter((value) => value !== undefined);
}
