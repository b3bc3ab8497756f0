import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { Chunk } from '../../../contract/memory.ts';
import type { Cli } from '../../program/cli.ts';
import { escapeLine } from '../../output/escape-text.ts';

/** Shows the paths of the index: those below the folder of the caller are relative to it, where both are on one machine. */
export function pathShower(cli: Cli): (path: string) => string {
  if (!cli.connect().target.isLocal) return escapeLine;
  const here = process.cwd();
  return (path) => {
    const from = relative(here, path);
    const isBelow = from !== '' && from !== '..' && !from.startsWith('../') && !isAbsolute(from);
    return escapeLine(isBelow ? from : path);
  };
}

/** `notes.md:12-40`, as other tools say where something is. */
export const formatLocation = (show: (path: string) => string, { path, startLine, endLine }: Chunk): string =>
  `${show(path)}:${startLine}${endLine > startLine ? `-${endLine}` : ''}`;

/** The absolute path that is meant; what another machine has cannot be looked at from here. */
export const toFullPath = (cli: Cli, path: string): string =>
  cli.connect().target.isLocal ? resolve(path) : path;

/** The path as the index has it, every link resolved, also of a file that is gone. */
export function toIndexedPath(cli: Cli, path: string): string {
  const full = toFullPath(cli, path);
  return cli.connect().target.isLocal ? realPath(full) : full;
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(realPath(above), basename(path));
  }
}
