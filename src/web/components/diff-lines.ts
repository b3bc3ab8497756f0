import { structuredPatch } from 'diff';

/** A row of a diff. */
export interface DiffLine {
  kind: 'added' | 'removed' | 'context' | 'hunk' | 'note';
  text: string;
  before?: number;
  after?: number;
}

/** Texts that differ in more places take too long to compare. */
const MOST_EDITS = 2000;
const COMPARE_MS = 300;

const range = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** The rows of a unified diff of one file, also of its first part; a patch that cannot be read is shown as it is. */
export function linesOfPatch(patch: string): DiffLine[] {
  const lines = patch.replace(/\n$/, '').split('\n');
  const hunks = hunksOf(lines);
  if (hunks && (hunks.length > 0 || patch.trim() === '')) return rowsOf(hunks);
  return lines.map((text) => ({ kind: 'note', text }));
}

/** Undefined where a line does not fit; the last hunk may end early. */
function hunksOf(lines: readonly string[]): Hunk[] | undefined {
  const hunks: Hunk[] = [];
  let left = { before: 0, after: 0 };
  for (const line of lines) {
    const hunk = hunks.at(-1);
    const mark = line.charAt(0);
    if (hunk && (left.before > 0 || left.after > 0)) {
      if (!['', ' ', '+', '-', '\\'].includes(mark)) return undefined;
      hunk.lines.push(line);
      if (mark !== '+' && mark !== '\\') left.before--;
      if (mark !== '-' && mark !== '\\') left.after--;
    } else if (hunk && mark === '\\') hunk.lines.push(line);
    else {
      const [found, oldStart, before = '1', newStart, after = '1'] = range.exec(line) ?? [];
      if (found === undefined) continue;
      hunks.push({ oldStart: Number(oldStart), newStart: Number(newStart), lines: [] });
      left = { before: Number(before), after: Number(after) };
    }
  }
  return hunks;
}

/** The rows of the difference of two texts. */
export function linesOfTexts(before: string, after: string): DiffLine[] {
  const found = structuredPatch('', '', before, after, undefined, undefined, {
    context: 3,
    maxEditLength: MOST_EDITS,
    timeout: COMPARE_MS,
  });
  if (found) return rowsOf(found.hunks);
  const all = (text: string, kind: 'added' | 'removed') =>
    text.split('\n').map((line, at): DiffLine => ({
      kind,
      text: line,
      [kind === 'added' ? 'after' : 'before']: at + 1,
    }));
  return [...all(before, 'removed'), ...all(after, 'added')];
}

interface Hunk {
  oldStart: number;
  newStart: number;
  lines: string[];
}

function rowsOf(hunks: readonly Hunk[]): DiffLine[] {
  return hunks.flatMap(({ oldStart, newStart, lines }, at) => {
    let before = oldStart;
    let after = newStart;
    const rows = lines.map((line): DiffLine => {
      const text = line.slice(1);
      switch (line.charAt(0)) {
        case '+':
          return { kind: 'added', text, after: after++ };
        case '-':
          return { kind: 'removed', text, before: before++ };
        case '\\':
          return { kind: 'note', text: text.trim() };
        default:
          return { kind: 'context', text, before: before++, after: after++ };
      }
    });
    const isStart = at === 0 && Math.max(oldStart, newStart) <= 1;
    return isStart ? rows : [{ kind: 'hunk', text: `From line ${newStart}` }, ...rows];
  });
}
