import { FILE_HEADERS_ONLY, formatPatch, type StructuredPatch, structuredPatch } from 'diff';
import type { FileDiff } from '../../../contract/approvals.ts';
import { maskLines } from '../mask-secrets.ts';
import { wholeHunk } from './whole-hunk.ts';

/** Lines around a change. */
const CONTEXT = 3;
/** Longer texts are not compared. */
const MAX_TEXT = 1_000_000;
/** The longest diff, in characters. */
const MAX_DIFF = 128 * 1024;
/** Two texts that differ in more lines are shown as one replaced by the other: comparing them would hold the daemon up. */
const MAX_CHANGED_LINES = 600;

export interface FileChange {
  path: string;
  /** Undefined for a new file. */
  before: string | undefined;
  after: string;
}

/** The change of a file as a unified diff with secrets masked. */
export function diffFile({ path, before, after }: FileChange): FileDiff {
  const longest = Math.max(before?.length ?? 0, after.length);
  if (longest > MAX_TEXT)
    return noDiff(path, `${path} is too large to be compared: ${longest} characters, at most ${MAX_TEXT}`);
  const patch = compare({ path, before, after });
  const facts = {
    path,
    ...(before === undefined && { created: true }),
    added: count(patch, '+'),
    removed: count(patch, '-'),
  };
  if (patch.hunks.length === 0) return { ...facts, text: '' };
  maskPatch(patch, maskLines(before ?? ''), maskLines(after));
  const whole = formatPatch(patch, FILE_HEADERS_ONLY);
  if (whole.length <= MAX_DIFF) return { ...facts, text: whole };
  const text = whole.slice(0, whole.lastIndexOf('\n', MAX_DIFF) + 1);
  return { ...facts, text, truncated: true };
}

/** For a change that cannot be shown. */
export const noDiff = (path: string, unavailable: string): FileDiff => ({
  path,
  text: '',
  added: 0,
  removed: 0,
  unavailable,
});

function compare({ path, before, after }: FileChange): StructuredPatch {
  const names: [string, string] = [before === undefined ? '/dev/null' : `a/${path}`, `b/${path}`];
  const options = { context: CONTEXT, maxEditLength: MAX_CHANGED_LINES };
  return (
    structuredPatch(...names, before ?? '', after, undefined, undefined, options) ?? {
      ...structuredPatch(...names, '', ''),
      hunks: [wholeHunk(before ?? '', after, CONTEXT)],
    }
  );
}

/** Replaces each line by its masked form, which has the same number in its text. */
function maskPatch({ hunks }: StructuredPatch, before: string[], after: string[]): void {
  for (const hunk of hunks) {
    // An empty side starts at line 0.
    let oldLine = Math.max(1, hunk.oldStart);
    let newLine = Math.max(1, hunk.newStart);
    hunk.lines = hunk.lines.map((line) => {
      const mark = line[0] ?? '';
      if (mark === '\\') return line;
      const masked = mark === '+' ? after[newLine - 1] : before[oldLine - 1];
      if (mark !== '+') oldLine++;
      if (mark !== '-') newLine++;
      return `${mark}${masked ?? ''}`;
    });
  }
}

const count = ({ hunks }: StructuredPatch, mark: '+' | '-') =>
  hunks.flatMap(({ lines }) => lines).filter((line) => line.startsWith(mark)).length;
