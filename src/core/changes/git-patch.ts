import { constants } from 'node:fs';
import { structuredPatch } from 'diff';
import type { FileState } from './file-state.ts';

/** Texts that differ in more lines are replaced as a whole, because finding the smallest difference takes too long. */
const MAX_EDITS = 2000;
const CONTEXT = 3;
const NO_NEWLINE = '\\ No newline at end of file';

/** A file at one moment, with its content. */
export interface PatchSide extends Pick<FileState, 'mode'> {
  text: string;
}
export interface FilePatch {
  patch: string;
  additions: number;
  deletions: number;
}

interface Hunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  lines: string[];
}

/** A unified diff of one file as Git writes it, so that `git apply` takes it; the path starts at the root. */
export function gitPatch(
  path: string,
  before: PatchSide | undefined,
  after: PatchSide | undefined,
): FilePatch {
  const [from, to] = [before?.text ?? '', after?.text ?? ''];
  const hunks = from === to ? [] : (smallestHunks(from, to) ?? [wholeHunk(from, to)]);
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const head = headOf(path, before, after);
  const names = [
    `--- ${before ? nameOf('a', path) : '/dev/null'}`,
    `+++ ${after ? nameOf('b', path) : '/dev/null'}`,
  ];
  const body = hunks.flatMap((hunk) => [rangeOf(hunk), ...hunk.lines]);
  return {
    patch: [...head, ...(hunks.length > 0 ? names : []), ...body].map((line) => `${line}\n`).join(''),
    additions: lines.filter((line) => line.startsWith('+')).length,
    deletions: lines.filter((line) => line.startsWith('-')).length,
  };
}

function headOf(path: string, before: PatchSide | undefined, after: PatchSide | undefined): string[] {
  const first = `diff --git ${quote(`a/${path}`)} ${quote(`b/${path}`)}`;
  if (!before) return [first, `new file mode ${after ? gitMode(after) : ''}`];
  if (!after) return [first, `deleted file mode ${gitMode(before)}`];
  if (gitMode(before) === gitMode(after)) return [first];
  return [first, `old mode ${gitMode(before)}`, `new mode ${gitMode(after)}`];
}

/** Git knows three modes. */
export const gitMode = ({ mode }: Pick<FileState, 'mode'>): string =>
  (mode & constants.S_IFMT) === constants.S_IFLNK ? '120000' : (mode & 0o100) !== 0 ? '100755' : '100644';

/** A tab ends a name that has a space. */
const nameOf = (side: 'a' | 'b', path: string) => {
  const name = quote(`${side}/${path}`);
  return name.includes(' ') && !name.startsWith('"') ? `${name}\t` : name;
};

const escapes: Record<string, string> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\t': '\\t', '\r': '\\r' };

/** A name as Git quotes it where it has characters that would end a line or the name. */
function quote(name: string): string {
  // oxlint-disable-next-line no-control-regex
  const unsafe = /["\\\u0000-\u001f\u007f]/g;
  if (!unsafe.test(name)) return name;
  const escaped = name.replace(
    unsafe,
    (character) => escapes[character] ?? `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
  return `"${escaped}"`;
}

/** The range of no lines begins at the line before. */
const rangeOf = ({ oldStart, oldLines, newStart, newLines }: Hunk) =>
  `@@ -${oldLines === 0 ? oldStart - 1 : oldStart},${oldLines} +${newLines === 0 ? newStart - 1 : newStart},${newLines} @@`;

const smallestHunks = (from: string, to: string): Hunk[] | undefined =>
  structuredPatch('', '', from, to, undefined, undefined, { context: CONTEXT, maxEditLength: MAX_EDITS })
    ?.hunks;

function wholeHunk(from: string, to: string): Hunk {
  const old = markedLines(from, '-');
  const present = markedLines(to, '+');
  return {
    oldStart: 1,
    oldLines: old.count,
    newStart: 1,
    newLines: present.count,
    lines: [...old.lines, ...present.lines],
  };
}

function markedLines(text: string, mark: string): { count: number; lines: string[] } {
  if (text === '') return { count: 0, lines: [] };
  const isComplete = text.endsWith('\n');
  const lines = (isComplete ? text.slice(0, -1) : text).split('\n').map((line) => mark + line);
  return { count: lines.length, lines: isComplete ? lines : [...lines, NO_NEWLINE] };
}
