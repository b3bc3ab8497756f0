import { expect, it } from 'vitest';
import { linesOfPatch, linesOfTexts } from '../../src/web/components/diff-lines.ts';
import { readMarkdown } from '../../src/web/components/read-markdown.ts';

it('reads Markdown, and gives up on what would take forever', () => {
  const [heading, list] = readMarkdown('# Done\n- [x] one\r\n- two') ?? [];
  expect([heading?.type, list?.type]).toEqual(['heading', 'list']);
  expect(readMarkdown('>'.repeat(5000))).toBeUndefined();
  // Each of these takes many seconds otherwise.
  const slow = ['_a'.repeat(50_000), Array(200).fill('_a'.repeat(2400)).join('\n\n')];
  for (const text of slow) {
    let now = 0;
    const found = readMarkdown(text, () => (now += 50)) ?? [];
    expect(found.map(({ raw }) => raw).join('')).toBe(text);
  }
});

it('numbers the lines of a patch, with its remarks', () => {
  const patch = `diff --git a/a.txt b/a.txt
index 1..2 100644
--- a/a.txt
+++ b/a.txt
@@ -1,2 +1,2 @@
 one
-two
+2
\\ No newline at end of file
@@ -10,1 +10,2 @@
 ten
+eleven
`;
  expect(linesOfPatch(patch)).toEqual([
    { kind: 'context', text: 'one', before: 1, after: 1 },
    { kind: 'removed', text: 'two', before: 2 },
    { kind: 'added', text: '2', after: 2 },
    { kind: 'note', text: 'No newline at end of file' },
    { kind: 'hunk', text: 'From line 10' },
    { kind: 'context', text: 'ten', before: 10, after: 10 },
    { kind: 'added', text: 'eleven', after: 11 },
  ]);
});

it('reads the first part of a patch, and lines that look like the head of another file', () => {
  const patch = '--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n--- a/y\n+++ b/y\n same\n-gone\n';
  expect(linesOfPatch(patch)).toEqual([
    { kind: 'removed', text: '-- a/y', before: 1 },
    { kind: 'added', text: '++ b/y', after: 1 },
    { kind: 'context', text: 'same', before: 2, after: 2 },
    { kind: 'removed', text: 'gone', before: 3 },
  ]);
});

it('shows a patch without lines, and one that it cannot read, as it is', () => {
  expect(linesOfPatch('')).toEqual([]);
  const renamed = 'diff --git a/a b/b\nsimilarity index 100%\nrename from a\nrename to b\n';
  expect(linesOfPatch(renamed).map(({ text }) => text)).toContain('rename from a');
  expect(linesOfPatch('@@ -1,9 +1 @@\nnonsense').map(({ kind }) => kind)).toContain('note');
});

it('compares two texts, and shows both whole where they differ everywhere', () => {
  expect(linesOfTexts('a\nb\n', 'a\nc\n').map(({ kind }) => kind)).toEqual(['context', 'removed', 'added']);
  const lines = (name: string) => Array.from({ length: 3000 }, (_, at) => `${name} ${at}`).join('\n');
  const kinds = linesOfTexts(lines('x'), lines('y')).map(({ kind }) => kind);
  expect([kinds.length, kinds[0], kinds.at(-1)]).toEqual([6000, 'removed', 'added']);
});
