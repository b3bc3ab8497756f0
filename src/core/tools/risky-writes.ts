import { lstat } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import { isLookedForUpwards, whatRunsLater } from '../paths/run-later-paths.ts';
import { type GitHome, gitConfiguredPaths } from '../paths/git-configured-paths.ts';
import { isInside, resolveRealPath } from '../paths/real-path.ts';
import { isReadOnly } from './commands/read-only-commands.ts';
import type { GuardedCall } from './guards/guard.ts';
import type { ToolAccess } from './tool.ts';
import { baseDirectoryOf, pathsOfWord, wordsOfCall } from './guards/words-of-call.ts';

/** Why a call deserves attention. Where `isForPerson` is set, only a person can allow it, in every mode. */
export interface WriteWarning {
  reason: string;
  isForPerson: boolean;
}

/**
 * A warning about a call that may write a file that other programs run later, or work in a home directory. Inside a
 * repository such files are part of the work, and their changes are reviewed; elsewhere they go unnoticed.
 */
export async function warningOf(call: GuardedCall, person: GitHome): Promise<WriteWarning | undefined> {
  const { home } = person;
  if (call.tool.isReadOnly || isReading(call)) return undefined;
  const { workspace } = call.context;
  const touchesFiles =
    call.paths.length > 0 || call.access.command !== undefined || call.tool.server !== undefined;
  if (home !== undefined && touchesFiles && isInside(workspace, home))
    return { reason: 'The workspace is or contains your home directory', isForPerson: true };
  let warning: WriteWarning | undefined;
  for (const path of await writtenPaths(call)) {
    const one = await warningOfPath(path, workspace, person);
    if (one?.isForPerson) return one;
    warning ??= one;
  }
  return warning;
}

/** The access of a call with what only a person can allow. */
export function withWarning(access: ToolAccess, warning: WriteWarning | undefined): ToolAccess {
  if (!warning?.isForPerson) return access;
  const { needsPerson } = access;
  return {
    ...access,
    needsPerson: needsPerson === undefined ? warning.reason : `${warning.reason}. ${needsPerson}`,
  };
}

const isReading = ({ access: { command } }: GuardedCall) =>
  command !== undefined && (command.parts?.map(({ argv }) => argv) ?? [command.argv]).every(isReadOnly);

async function writtenPaths(call: GuardedCall): Promise<string[]> {
  const { command } = call.access;
  // The first path of a command is the directory in which it runs.
  const paths = call.paths.filter(({ operation }) => operation === 'write').slice(command ? 1 : 0);
  const found = new Set(paths.map(({ real }) => real));
  const words = wordsOfCall(call);
  const base = words.length > 0 ? await baseDirectoryOf(call) : '';
  for (const word of words)
    for (const { path, as } of pathsOfWord(word) ?? [])
      if (as !== 'url') found.add(await resolveRealPath(base, path));
  return [...found];
}

async function warningOfPath(
  path: string,
  workspace: string,
  person: GitHome,
): Promise<WriteWarning | undefined> {
  const later = whatRunsLater(path, workspace, person.home);
  const isParents = !isInside(workspace, path) && isLookedForUpwards(path);
  const repository = await repositoryOf(path);
  const named = await gitConfiguredPaths(repository && `${repository}/.git`, person);
  const isHook = named.some((configured) => isInside(configured, path));
  if (!later && !isParents && !isHook) return undefined;
  const name = isInside(workspace, path) ? relative(workspace, path) : path;
  const by =
    later?.by ??
    (isHook ? 'Git runs hooks or takes settings from it' : 'Tools look for it in the parents of a project');
  const isForPerson = later?.isPersonal === true || isParents || repository === undefined;
  return { reason: `${name} may run later: ${by.charAt(0).toLowerCase()}${by.slice(1)}`, isForPerson };
}

/** The directory around the path that is under version control. */
async function repositoryOf(path: string): Promise<string | undefined> {
  for (let directory = dirname(path); ; directory = dirname(directory)) {
    if (await lstat(`${directory}/.git`).catch(() => undefined)) return directory;
    if (directory === dirname(directory)) return undefined;
  }
}
