import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { gitPatch, type PatchSide } from '../../../src/core/changes/git-patch.ts';

let directory: string;
beforeAll(async () => (directory = await mkdtemp(join(tmpdir(), 'svc-patch-'))));
afterAll(() => rm(directory, { recursive: true }));

const file = (text: string, mode = 0o100644): PatchSide => ({ text, mode });
const numbered = (count: number, word = 'line') =>
  Array.from({ length: count }, (_, at) => `${word} ${at}\n`).join('');

it.each<[string, string, PatchSide | undefined, PatchSide | undefined]>([
  ['a change', 'a.txt', file(numbered(50)), file(numbered(50).replace('line 20', 'other'))],
  ['changes far apart', 'a.txt', file(numbered(90)), file(`first\n${numbered(90)}last\n`)],
  ['a new file', 'dir/new.txt', undefined, file('a\nb\n')],
  ['a new file without a newline at its end', 'new.txt', undefined, file('a\nb')],
  ['a new empty file', 'empty.txt', undefined, file('')],
  ['a removed file', 'dir/old.txt', file('a\nb\n'), undefined],
  ['a removed empty file', 'old.txt', file(''), undefined],
  ['a file that becomes empty', 'a.txt', file('a\n'), file('')],
  ['an empty file that gets a content', 'a.txt', file(''), file('a\n')],
  ['a newline that is added at the end', 'a.txt', file('a\nb'), file('a\nb\n')],
  ['a newline that is removed at the end', 'a.txt', file('a\nb\n'), file('a\nb')],
  ['lines that end in CRLF', 'a.txt', file('a\r\nb\r\nc\r\n'), file('a\r\nB\r\nc\r\n')],
  ['line ends that change', 'a.txt', file('a\r\nb\r\n'), file('a\nb\n')],
  ['a mode', 'run.sh', file('a\n'), file('a\n', 0o100755)],
  ['a mode and a content', 'run.sh', file('a\n', 0o100755), file('b\n')],
  ['a new program', 'run.sh', undefined, file('a\n', 0o100750)],
  ['a name with spaces', 'a b/c d.txt', file('a\n'), file('b\n')],
  ['a name with quotes and a backslash', 'a"b\\c.txt', file('a\n'), file('b\n')],
  ['a name with a line feed', 'a\nb.txt', undefined, file('b\n')],
  ['a name that is not ASCII', 'größe ☃.txt', file('a\n'), file('b\n')],
  ['lines that look like a patch', 'a.txt', file('--- a\n+++ b\n@@ -1 +1 @@\n'), file('--- a\n+++ c\n')],
  ['texts that have nothing in common', 'a.txt', file(numbered(3000)), file(numbered(3000, 'other'))],
  ['a byte order mark', 'a.txt', file('\ufeffa\n'), file('\ufeffb\n')],
  [
    'separators that are no line ends',
    'a.txt',
    file('a\u2028b\u0085c\fd\rz\n'),
    file('a\u2028b\u0085c\fd\rx\n'),
  ],
])('git applies the patch of %s, and its reverse', async (_, path, before, after) => {
  const work = await mkdtemp(join(directory, 'work-'));
  const write = async (side: PatchSide) => {
    await mkdir(dirname(join(work, path)), { recursive: true });
    await writeFile(join(work, path), side.text);
    await chmod(join(work, path), side.mode & 0o777);
  };
  const read = async () => {
    const text = await readFile(join(work, path), 'utf8').catch(() => undefined);
    return text === undefined
      ? undefined
      : { text, isProgram: ((await stat(join(work, path))).mode & 0o100) !== 0 };
  };
  const shape = (side: PatchSide | undefined) =>
    side && { text: side.text, isProgram: (side.mode & 0o100) !== 0 };
  execFileSync('git', ['init', '-q', work]);
  if (before) await write(before);
  const { patch } = gitPatch(path, before, after);
  const apply = (...args: string[]) =>
    execFileSync('git', ['apply', '--whitespace=nowarn', ...args], { cwd: work, input: patch });
  apply();
  expect(await read()).toEqual(shape(after));
  apply('--reverse');
  expect(await read()).toEqual(shape(before));
});

it('counts the lines that are added and removed', () => {
  expect(gitPatch('a', file('a\nb\nc\n'), file('a\nx\ny\nc\n'))).toMatchObject({
    additions: 2,
    deletions: 1,
  });
});
