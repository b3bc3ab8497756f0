/** A line of a patch, and what it is. */
export interface PatchLine {
  text: string;
  kind: 'file' | 'header' | 'hunk' | 'added' | 'removed' | 'context';
}

/** The lines of a patch with Git headers. */
export function patchLines(patch: string): PatchLine[] {
  const lines = patch.split('\n');
  if (lines.at(-1) === '') lines.pop();
  // A removed line may look like a header.
  let isInHunk = false;
  return lines.map((text): PatchLine => {
    if (text.startsWith('diff --git ')) {
      isInHunk = false;
      return { text, kind: 'file' };
    }
    if (text.startsWith('@@')) {
      isInHunk = true;
      return { text, kind: 'hunk' };
    }
    if (!isInHunk) return { text, kind: 'header' };
    return { text, kind: text.startsWith('+') ? 'added' : text.startsWith('-') ? 'removed' : 'context' };
  });
}
