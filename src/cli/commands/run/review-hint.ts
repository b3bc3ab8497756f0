import type { Task } from '../../../contract/task.ts';
import { shortId } from '../../output/shorten-ids.ts';

/** The commands for the files that a run changed, in its worktree or where it worked; undefined where it changed none. */
export function reviewHint(
  { id, result, bestOf }: Pick<Task, 'id' | 'result' | 'bestOf'>,
  hasChangedFiles: boolean,
): string | undefined {
  const short = shortId(id);
  const review = bestOf ? `Compare: svc tasks compare ${short}` : `Review: svc tasks diff ${short}`;
  if (result?.changes)
    return result.changes.files === 0
      ? bestOf && review
      : `${review}  Apply: svc tasks apply ${short}  Discard: svc tasks discard ${short}`;
  return hasChangedFiles ? `${review}  Undo: svc tasks undo ${short}` : undefined;
}
