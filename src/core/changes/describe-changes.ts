import type { ChangedFile, Changes } from '../../contract/changes.ts';
import { type DescribeDeps, describeChange } from './describe-change.ts';
import type { NetChange } from './net-changes.ts';

/** More files are not listed, and more text of patches is left out. */
const MAX_FILES = 2000;
const MAX_PATCHES = 8 * 1024 * 1024;

/** The changed files with their patches, as far as an answer takes them. */
export async function describeChanges(
  deps: DescribeDeps,
  root: string,
  changes: readonly NetChange[],
): Promise<Omit<Changes, 'notKept'>> {
  const files: ChangedFile[] = [];
  let isCut = changes.length > MAX_FILES;
  let size = 0;
  for (const change of changes.slice(0, MAX_FILES)) {
    const { patch, ...file } = await describeChange(deps, root, change);
    size += patch?.length ?? 0;
    const isLeftOut = patch !== undefined && size > MAX_PATCHES;
    if (isLeftOut || file.withheld === 'size') isCut = true;
    files.push({
      ...file,
      ...(patch !== undefined && !isLeftOut && { patch }),
      ...(isLeftOut && { withheld: 'size' }),
    });
  }
  const sum = (key: 'additions' | 'deletions') => files.reduce((total, file) => total + (file[key] ?? 0), 0);
  return {
    ...(files.length > 0 && { directory: root }),
    files,
    additions: sum('additions'),
    deletions: sum('deletions'),
    truncated: isCut,
  };
}
