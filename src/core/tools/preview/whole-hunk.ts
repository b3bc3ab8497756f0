import type { StructuredPatchHunk } from 'diff';

const NO_NEWLINE = String.raw`\ No newline at end of file`;

/** One hunk that replaces everything between the lines that both texts begin and end with. */
export function wholeHunk(before: string, after: string, context: number): StructuredPatchHunk {
  const old = linesOf(before);
  const now = linesOf(after);
  const most = Math.min(old.length, now.length);
  let start = 0;
  while (start < most && old[start] === now[start]) start++;
  let end = 0;
  while (end < most - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const from = Math.max(0, start - context);
  const shown = Math.min(end, context);
  const [oldEnd, newEnd] = [old.length - end, now.length - end];
  return {
    oldStart: from + 1,
    oldLines: oldEnd + shown - from,
    newStart: from + 1,
    newLines: newEnd + shown - from,
    lines: [
      ...marked(' ', old.slice(from, start)),
      ...marked('-', old.slice(start, oldEnd)),
      ...marked('+', now.slice(start, newEnd)),
      ...marked(' ', old.slice(oldEnd, oldEnd + shown)),
    ],
  };
}

/** With their line feeds, so that a last line without one differs from one with it. */
const linesOf = (text: string) => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

const marked = (mark: string, lines: string[]) =>
  lines.flatMap((line) => (line.endsWith('\n') ? [mark + line.slice(0, -1)] : [mark + line, NO_NEWLINE]));
