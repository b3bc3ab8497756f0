import type { MemoryScopeName } from '../../contract/memory.ts';

/** Which part of the memory a run uses: all of it, or what belongs to a project or to none. */
export type MemoryScope = 'all' | { project: string | undefined };

/** The scope of work in a project, by its directory, or in none. */
export const memoryScopeOf = (name: MemoryScopeName, project: string | undefined): MemoryScope =>
  name === 'all' ? 'all' : { project };

/** Whether something that was learned in a project, or in none, belongs to the scope. */
export const isInScope = (scope: MemoryScope, { project }: { project?: string | undefined }): boolean =>
  scope === 'all' || project === undefined || project === scope.project;

/** The directory to which a search of files is limited; undefined where it is not. */
export const directoryOf = (scope: MemoryScope): string | undefined =>
  scope === 'all' ? undefined : scope.project;
