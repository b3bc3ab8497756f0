/** About 400 tokens. */
const TARGET_CHARS = 1600;
/** About 50 tokens. */
const OVERLAP_CHARS = 200;
/** A longer line is split; a shorter one stays whole even above the target. */
const LONG_LINE = 2 * TARGET_CHARS;
/** Share of the target that a piece must reach before it may be cut. */
const MIN_FILL = 0.4;

export interface TextPiece {
  /** From 1. */
  startLine: number;
  endLine: number;
  text: string;
}

/** Ranks a line as the start of a piece. From `NEW_PART` on, nothing before it is repeated. */
export type LineRank = (line: number) => number;
export const NEW_PART = 3;

/** Splits lines into pieces at the best-ranked lines; blank edges are trimmed. */
export function packLines(
  lines: string[],
  start: number,
  end: number,
  rankOf: LineRank = (line) => paragraphRank(lines, line),
): TextPiece[] {
  const pieces: TextPiece[] = [];
  const add = (from: number, to: number) => {
    const piece = wholeLines(lines, from, to);
    if (piece) pieces.push(piece);
  };
  let from = start;
  // Lines before this one are in a piece already.
  let done = start;
  while (done < end) {
    const line = lines[done] ?? '';
    if (line.length > LONG_LINE) {
      from = ++done;
      if (!isBlank(line))
        pieces.push(...cutLine(line).map((text) => ({ startLine: from, endLine: from, text })));
      continue;
    }
    const fits = fitting(lines, from, done, end);
    const to = fits === end || isLong(lines[fits]) ? fits : bestCut(lines, from, done, fits, rankOf);
    add(from, to);
    done = to;
    from = to < end && rankOf(to) < NEW_PART ? overlapStart(lines, start, to) : to;
  }
  return pieces;
}

const isLong = (line: string | undefined) => line !== undefined && line.length > LONG_LINE;

/** The line after the last one that fits; the line `done` is always included. */
function fitting(lines: string[], from: number, done: number, end: number): number {
  let size = 0;
  for (let line = from; line < done; line++) size += (lines[line]?.length ?? 0) + 1;
  let to = done;
  do size += (lines[to++]?.length ?? 0) + 1;
  while (to < end && !isLong(lines[to]) && size + (lines[to]?.length ?? 0) <= TARGET_CHARS);
  return to;
}

/** The best-ranked line to cut at, the last of equals. */
function bestCut(lines: string[], from: number, done: number, fits: number, rankOf: LineRank): number {
  let best = { line: fits, rank: rankOf(fits) };
  let size = 0;
  for (let line = from; line < fits; line++) {
    if (line > done && size >= TARGET_CHARS * MIN_FILL) {
      const rank = rankOf(line);
      if (rank > best.rank || (rank === best.rank && best.line < fits)) best = { line, rank };
    }
    size += (lines[line]?.length ?? 0) + 1;
  }
  return best.line;
}

/** The start of the next piece, which repeats the last lines of the previous one. */
function overlapStart(lines: string[], start: number, to: number): number {
  let from = to;
  for (let size = 0; from > start; from--) {
    size += (lines[from - 1]?.length ?? 0) + 1;
    if (size > OVERLAP_CHARS) break;
  }
  const next = lines[to]?.length ?? 0;
  return next + OVERLAP_CHARS > TARGET_CHARS ? to : from;
}

function wholeLines(lines: string[], from: number, to: number): TextPiece | undefined {
  let [first, end] = [from, to];
  while (first < end && isBlank(lines[first])) first++;
  while (end > first && isBlank(lines[end - 1])) end--;
  if (first === end) return undefined;
  return { startLine: first + 1, endLine: end, text: lines.slice(first, end).join('\n') };
}

/** Splits a line at spaces where possible, never inside a surrogate pair. */
function cutLine(line: string): string[] {
  const pieces: string[] = [];
  let from = 0;
  while (line.length - from > TARGET_CHARS) {
    const space = line.lastIndexOf(' ', from + TARGET_CHARS - 1) + 1;
    let to = space > from + TARGET_CHARS * MIN_FILL ? space : from + TARGET_CHARS;
    const code = line.charCodeAt(to - 1);
    if (code >= 0xd800 && code <= 0xdbff) to--;
    pieces.push(line.slice(from, to));
    from = to;
  }
  pieces.push(line.slice(from));
  return pieces;
}

export const isBlank = (line: string | undefined): boolean => line === undefined || line.trim() === '';

const paragraphRank = (lines: string[], line: number): number =>
  isBlank(lines[line - 1]) && !isBlank(lines[line]) ? 1 : 0;
