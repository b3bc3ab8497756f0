/** A line of a unified diff with its number in the old and in the new file. */
export interface DiffLine {
  mark: ' ' | '-' | '+' | '\\';
  text: string;
  old?: number;
  now?: number;
}

const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
const isMark = (mark: string | undefined): mark is DiffLine['mark'] =>
  mark !== undefined && ' -+\\'.includes(mark);

/** The hunks of a unified diff. Their headers count the lines, so that no line of a file can look like a header. */
export function parseDiff(text: string): DiffLine[][] {
  const hunks: DiffLine[][] = [];
  let old = 0;
  let now = 0;
  let oldEnd = 0;
  let nowEnd = 0;
  for (const line of text.replace(/\n$/, '').split('\n')) {
    const mark = line[0];
    const isInHunk = old < oldEnd || now < nowEnd || mark === '\\';
    const hunk = hunks.at(-1);
    if (hunk && isInHunk && isMark(mark)) {
      hunk.push({
        mark,
        text: line.slice(1),
        ...((mark === ' ' || mark === '-') && { old: old++ }),
        ...((mark === ' ' || mark === '+') && { now: now++ }),
      });
      continue;
    }
    const [, oldStart, oldCount = 1, newStart, newCount = 1] = header.exec(line) ?? [];
    if (oldStart === undefined) continue;
    old = Number(oldStart);
    now = Number(newStart);
    oldEnd = old + Number(oldCount);
    nowEnd = now + Number(newCount);
    hunks.push([]);
  }
  return hunks;
}
