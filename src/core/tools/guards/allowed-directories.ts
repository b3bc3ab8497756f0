import { isInside, resolveRealPath } from '../../paths/real-path.ts';
import type { GuardedCall } from './guard.ts';

/** The real paths of the directories that a call may name: its workspace, then the roots of its MCP server. */
export async function allowedDirectories({ tool, context }: GuardedCall): Promise<string[]> {
  const roots = (tool.roots ?? []).map((root) => resolveRealPath('/', root));
  return [context.workspace, ...(await Promise.all(roots))];
}

/** The one of these directories that holds a real path; undefined where none does. */
export const directoryOf = (directories: readonly string[], real: string): string | undefined =>
  directories.find((directory) => isInside(directory, real));
