import type { FileDiff } from '../../../contract/approvals.ts';
import type { ChangePreview, ToolPlan, ToolScope } from '../tool.ts';
import { diffFile, noDiff } from './file-diff.ts';

/** What a person sees of a change, and the state of the file from which it was made. */
export interface PreviewedChange {
  diff: FileDiff;
  basis: string;
}

/**
 * Previews the change of a call that the guards let pass; undefined where the tool changes no file. Throws the failure of
 * a call that cannot succeed, if the model may read the file: else it could learn from it what the file contains.
 */
export async function previewChange(
  plan: ToolPlan,
  scope: ToolScope,
  mayModelRead: () => Promise<boolean>,
): Promise<PreviewedChange | undefined> {
  if (!plan.preview) return undefined;
  const preview = await plan.preview(scope);
  const { basis, path, failure } = preview;
  for (const real of scope.paths)
    if (await scope.isSecret?.(real))
      return { basis, diff: noDiff(path, `${path} contains credentials, so its content is not shown`) };
  if (failure && (await mayModelRead())) throw failure;
  return { basis, diff: diffOf(preview) };
}

function diffOf({ path, change, problem, failure }: ChangePreview): FileDiff {
  if (failure) return noDiff(path, `The call would fail: ${failure.message}`);
  return change ? diffFile({ path, ...change }) : noDiff(path, problem ?? 'The change cannot be shown');
}
