import type { MemoryScopeName } from '../../contract/memory.ts';
import { projectRootOf } from '../paths/project-root.ts';

/** Which part of the memory a run uses: all of it, or what belongs to a project or to none. */
export type MemoryScope = 'all' | { project: string | undefined };

/** The scope of work in a workspace, a real path; one that no person named is no project. */
export async function memoryScopeOf(
  name: MemoryScopeName,
  { workspace, isProject }: { workspace: string; isProject: boolean },
): Promise<MemoryScope> {
  if (name === 'all') return 'all';
  return { project: isProject ? await projectRootOf(workspace) : undefined };
}

/** Whether something that was learned in a project, or in none, belongs to the scope. */
export const isInScope = (scope: MemoryScope, { project }: { project?: string | undefined }): boolean =>
  scope === 'all' || project === undefined || project === scope.project;

/** The directory to which a search of files is limited; undefined where it is not. */
export const directoryOf = (scope: MemoryScope): string | undefined =>
  scope === 'all' ? undefined : scope.project;
