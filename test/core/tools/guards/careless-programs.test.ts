import { readFile, readdir } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { listDirectoryTool } from '../../../../src/core/tools/files/list-directory.ts';
import { readFileTool } from '../../../../src/core/tools/files/read-file.ts';
import { writeFileTool } from '../../../../src/core/tools/files/write-file.ts';
import { grepTool } from '../../../../src/core/tools/files/grep.ts';
import { pathTraversal } from '../../../../src/core/tools/guards/path-traversal.ts';
import { secretExfiltration } from '../../../../src/core/tools/guards/secret-exfiltration.ts';
import { commandIn, runTool, serverCallIn } from '../guarded-calls.ts';
import { listed } from '../listed.ts';
import { canary, plantTree, type TestTree } from '../test-tree.ts';
import { sized } from '../../../helpers/long.ts';

async function plantTraps(): Promise<TestTree> {
  const tree = await plantTree();
  await tree.write('src/a.txt', 'plain');
  await tree.write('src/.env', canary);
  await tree.write('.ssh/id_rsa', canary);
  await tree.link('src', 'inner');
  await tree.link(tree.outside, 'out');
  await tree.link('../../../outside', 'src/up');
  await tree.link(`${tree.outside}/secret.txt`, 'file-out');
  await tree.link('src/.env', 'harmless.txt');
  return tree;
}

const guardsOf = () => [pathTraversal, secretExfiltration({ protectedDirectories: [] })];
const files = [
  'secret.txt',
  'deep',
  'outside',
  'a.txt',
  'src',
  'inner',
  'out',
  'up',
  'file-out',
  '.env',
  '.ssh',
];
const segment = fc.constantFrom('.', '..', '', 'space', 'work', 'id_rsa', 'harmless.txt', ...files);
const anyPath = fc.array(segment, { minLength: 1, maxLength: 7 }).map((segments) => segments.join('/'));
const target = fc.constantFrom(
  ...listed(`
      src/.env .ssh/id_rsa out/secret.txt out/deep/secret.txt file-out src/up/secret.txt harmless.txt
      inner/.env ../../outside/secret.txt src/../out/secret.txt src/a.txt
    `),
);
const detour = fc.constantFrom('', './', 'src/../', 'inner/../', '../space/', './/./');
const plainPath = fc.oneof(
  anyPath,
  fc.tuple(detour, target).map((parts) => parts.join('')),
);

/** Encodings of a path, each reversed by a decoder below. */
const encodings: ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replaceAll('.', '%2e').replaceAll('/', '%2f'),
  (text) => text.replaceAll('/', '%2F'),
  (text) => text.replaceAll('.', '%252e').replaceAll('/', '%252f'),
  (text) => text.replaceAll('..', '．．').replaceAll('/', '／'),
  (text) => text.replaceAll('..', '‥'),
  (text) => text.replaceAll('%', '%25').replaceAll('s', '%73'),
  (text) => text.replaceAll('.', '%ef%bc%8e'),
];
const prefixes = ['', '--file=', '@', '-f', '-xf', 'a:', 'x=y:', 'a,', 'file://', 'file:'];

const decodePercent = (text: string) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
const decoders: ((text: string) => string)[] = [
  (text) => text,
  decodePercent,
  (text) => decodePercent(decodePercent(text)),
  (text) => text.normalize('NFKC'),
  (text) => decodePercent(text).normalize('NFKC'),
];

/** Whether a program that decodes the path after the prefix would read the canary. */
async function seesCanary(tree: TestTree, hidden: string, prefix: string): Promise<boolean> {
  for (const decode of decoders) {
    const path = decode(hidden);
    const absolute = isAbsolute(path) || prefix === 'file://' ? path : `${tree.workspace}/${path}`;
    const found = await readFile(prefix === 'file://' ? toPath(absolute) : absolute, 'utf8').catch(() => '');
    if (found.includes(canary)) return true;
  }
  return false;
}
const toPath = (path: string) => {
  try {
    return fileURLToPath(`file://${path}`);
  } catch {
    return '/no/such/place';
  }
};

const pathIn = (tree: TestTree) =>
  fc.oneof(
    plainPath,
    plainPath.map((path) => `${tree.workspace}/${path}`),
    plainPath.map((path) => `${tree.root}/${path}`),
  );

it('no encoding of a path gets a secret past the guards, even to programs that decode their arguments', async () => {
  await using tree = await plantTraps();
  const guards = guardsOf();
  let dangerous = 0;
  let allowed = 0;
  const sample = fc.tuple(pathIn(tree), fc.constantFrom(...encodings), fc.constantFrom(...prefixes));
  await fc.assert(
    fc.asyncProperty(sample, async ([path, hide, prefix]) => {
      const hidden = hide(path);
      const calls = [
        await commandIn(tree.workspace, 'cat', prefix + hidden),
        await serverCallIn(tree.workspace, { path: hidden }),
      ];
      for (const call of calls) {
        const reasons = await Promise.all(guards.map(async (guard) => guard.check(call)));
        const isAllowed = reasons.every((reason) => reason === undefined);
        if (isAllowed) allowed++;
        const isDangerous = await seesCanary(tree, hidden, call.access.command ? prefix : '');
        if (isDangerous) dangerous++;
        expect({ path: hidden, prefix, leaks: isAllowed && isDangerous }).toMatchObject({ leaks: false });
      }
    }),
    { numRuns: sized(150, 1000) },
  );
  // Else nothing was tried.
  expect(dangerous).toBeGreaterThan(sized(30, 200));
  expect(allowed).toBeGreaterThan(sized(3, 20));
});

it('no file tool shows or changes files that are secret or outside the workspace', async () => {
  await using tree = await plantTraps();
  const how = { workspace: tree.workspace, guards: guardsOf() };
  const sample = fc.tuple(pathIn(tree), fc.constantFrom(...encodings));
  let worked = 0;
  await fc.assert(
    fc.asyncProperty(sample, async ([plain, hide]) => {
      const path = hide(plain);
      const calls = [
        () => runTool(readFileTool, { path }, how),
        () => runTool(writeFileTool, { path: `${path}/new.txt`, content: 'x' }, how),
        () => runTool(listDirectoryTool, { path }, how),
        () => runTool(grepTool, { path, pattern: 'plain' }, how),
      ];
      for (const call of calls) {
        const answer = await call().catch(() => '');
        if (answer !== '') worked++;
        expect(answer).not.toContain(canary);
      }
    }),
    { numRuns: sized(30, 150) },
  );
  expect(worked).toBeGreaterThan(sized(2, 10));
  expect((await readdir(tree.outside)).sort()).toEqual(['deep', 'secret.txt']);
  expect(await readdir(`${tree.outside}/deep`)).toEqual(['secret.txt']);
  expect(await readdir(`${tree.workspace}/.ssh`)).toEqual(['id_rsa']);
  expect((await readdir(tree.root)).sort()).toEqual(['outside', 'work']);
});
