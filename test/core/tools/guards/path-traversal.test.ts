import { mkdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { pathTraversal } from '../../../../src/core/tools/guards/path-traversal.ts';
import { commandIn, guardedCall, serverCallIn, testTool } from '../guarded-calls.ts';
import { listed } from '../listed.ts';
import { plantTree, type TestTree } from '../test-tree.ts';

async function plantLinks(): Promise<TestTree> {
  const tree = await plantTree();
  await tree.write('src/a.ts');
  await tree.write('.git/config');
  await tree.link('src', 'inner');
  await tree.link(tree.outside, 'out');
  await tree.link(`${tree.outside}/secret.txt`, 'file-out');
  await tree.link(`${tree.outside}/not-there`, 'dangling');
  await mkdir(`${tree.workspace}/...`);
  return tree;
}

const check = async (tree: TestTree, path: string, operation: 'read' | 'write' = 'read') =>
  pathTraversal.check(await guardedCall(tree.workspace, { paths: [{ path, operation }] }));

/** Encodings of parent segments as known from attacks. */
const dots = [
  ...listed(`
      .. %2e%2e %2E%2E .%2e %2e. %252e%252e %25252e%25252e %25%32%65%25%32%65 %c0%ae%c0%ae
      %e0%80%ae%e0%80%ae %u002e%u002e %uff0e%uff0e %ef%bc%8e%ef%bc%8e ．． .． ․․ ‥ ﹒﹒ ︰ 。。 ꓸꓸ %00..
    `),
  '.\u200b.',
  '\u200d..',
  '.\u00ad.',
  '.\u2060.',
  '..\ufeff',
  '.. ',
  ' ..',
];
const slashes = [
  ...listed(`
      / %2f %2F %5c %252f %25252f %c0%af %e0%80%af %u2215 %c1%9c ／ ＼ ∕ ⁄ ⧸ ﹨ ⧵
    `),
  '\\',
];
const encodedParents = dots.flatMap((dot) => slashes.map((slash) => [dot, slash] as const));

describe('path-traversal on the paths of a call', () => {
  it(`refuses a parent segment in ${encodedParents.length} encodings at any position`, async () => {
    await using tree = await plantLinks();
    const passed: string[] = [];
    for (const [dot, slash] of encodedParents)
      for (const path of [`${dot}${slash}x`, `src${slash}${dot}${slash}x`, `src${slash}${dot}`])
        if ((await check(tree, path)) === undefined) passed.push(path);
    expect(passed).toEqual([]);
  });

  it.each([
    ...listed(`
      out out/secret.txt out/new.txt file-out dangling inner/../../x /etc/passwd / //etc/passwd
      /proc/self/cwd c:/x ~root/x
    `),
    'C:\\Windows',
    '\\\\server\\share',
    '${HOME}/x',
  ])('path-traversal refuses the path %s', async (path) => {
    await using tree = await plantLinks();
    expect(await check(tree, path)).toMatch(/leads out|parent-directory/);
  });

  it.each([
    ...listed(`
      src/a.ts . ./src inner/a.ts new/deep/file.txt a...b .../x ..x x.. a..b/c 100%.txt a%20b
      ünïcode/ﬁle file．txt .hidden -flag ~$doc.docx @scope/x a:b … 1/2
    `),
    'a b.txt',
  ])('path-traversal allows the path %s', async (path) => {
    await using tree = await plantLinks();
    expect(await check(tree, path)).toBeUndefined();
  });

  it('allows the absolute path of the workspace, but not of its siblings', async () => {
    await using tree = await plantLinks();
    expect(await check(tree, `${tree.workspace}/src/a.ts`)).toBeUndefined();
    expect(await check(tree, `${tree.workspace}-2/a.ts`)).toContain('leads out');
  });

  it.each(['.git/config', '.git/hooks/pre-commit', 'sub/.git/x', '.git', '.Git/x'])(
    'allows reading but not writing %s',
    async (path) => {
      await using tree = await plantLinks();
      expect(await check(tree, path)).toBeUndefined();
      expect(await check(tree, path, 'write')).toContain('.git folder');
    },
  );
});

const command = async (tree: TestTree, ...argv: string[]) =>
  pathTraversal.check(await commandIn(tree.workspace, ...argv));

describe('path-traversal on the words of a command', () => {
  it('refuses a parent segment in all encodings and positions of a word', async () => {
    await using tree = await plantLinks();
    const passed: string[] = [];
    for (const [dot, slash] of encodedParents.filter(([dot]) => dot.trim() === dot))
      for (const word of [
        `${dot}${slash}x`,
        `src${slash}${dot}${slash}x`,
        `--file=${dot}${slash}x`,
        `@${dot}${slash}x`,
      ])
        if ((await command(tree, 'cat', word)) === undefined) passed.push(word);
    expect(passed).toEqual([]);
  });

  it.each([
    ...listed(`
      .. ../x a/../b -I.. -I../x -C.. --dir=.. x=.. a:../b PATH=a:.. {../a,b} "../x" file:../x
      /etc/passwd / /nowhere/file --file=/etc/passwd --file=/nowhere @/etc/passwd -d@/etc/passwd
      -I/usr/include -xzf/etc/x a:/etc/passwd x,/etc/passwd file:///etc/passwd file:/etc/passwd
      FILE://localhost/etc/passwd file:///%65tc/passwd view-source:file:///etc/passwd
      fs:///etc/passwd https://x/../../etc/passwd sqlite:///etc/x.db ~ ~/x ~root ~root/x --home=~
      --home=~/x $HOME/x {"path":"/etc/passwd"} </etc/passwd out out/secret.txt ./out file-out
      --file=file-out -ffile-out -xfout/x @file-out a:file-out dangling inner/../out %2fetc%2fpasswd
      ／etc／passwd https://a,/etc/passwd .git/hooks/pre-commit --output=.git/config
      sub/.git/modules/x/config bare.git/hooks/x /dev/nullx
    `),
    'see ../docs',
    '${HOME}/x',
    'r /etc/passwd',
    'a\0b',
  ])('refuses the command cat %j', async (word) => {
    await using tree = await plantLinks();
    expect(await command(tree, 'cat', word)).toMatch(
      /leads out|parent-directory|\.git folder|not supported|file: URL|NUL/,
    );
  });

  it.each<string[]>([
    ['../../bin/x'],
    ['/tmp/x'],
    ['out/program'],
    ['/usr/bin/../../etc/x'],
    ['grep', '-f', '/etc/passwd', 'x'],
    ['grep', '-e', 'x', '/etc/passwd'],
    ['grep', '-rf', '/etc/passwd'],
    ['grep', 'x', '/etc/passwd'],
    ['grep', '--file', '/etc/passwd', 'x'],
    ['rg', '--files', '/etc'],
    ['rg', 'x', '..'],
    ['git', 'grep', '-O', '/etc/x', 'y'],
    ['git', 'commit', '-F', '/etc/passwd'],
    ['git', 'diff', '-m', '/etc/passwd', 'x'],
    ['git', 'commit', '-m', 'x', '/etc/passwd'],
    ['git', 'commit', '--', '-m', '/etc/passwd'],
    ['sed', '-n', 'p', '/etc/p'],
    ['sed', '-f', '/etc/p', 'x'],
    ['sed', '/etc/p', '-e', 'p'],
    ['tar', '--exclude-from=/etc/passwd'],
  ])('refuses the command %s %s %s %s', async (...argv) => {
    await using tree = await plantLinks();
    expect(await command(tree, ...argv)).toMatch(/leads out|parent-directory/);
  });

  it.each<string[]>([
    ['ls'],
    // A bare name refers to an installed program, even if a link in the workspace has the same name.
    ['file-out'],
    ['ls', '-la', 'src'],
    ['/usr/bin/env'],
    ['/bin/ls', '.'],
    ['./gradlew', 'build'],
    ['scripts/run.sh', '--fast'],
    ['cat', 'src/a.ts', './inner/a.ts'],
    ['git', 'log', 'HEAD..main', 'a...b', '--', 'src'],
    ['git', 'log', 'v1.0..', '..main', '@{u}..HEAD', 'HEAD~1', 'HEAD^..HEAD'],
    ['git', 'show', 'HEAD:src/a.ts', 'HEAD~2'],
    ['git', 'commit', '-m', 'Read ../x and /etc/passwd, see https://x.y/z'],
    ['git', 'commit', '-am', '~ and ..', '--message=../x'],
    ['git', 'clone', 'https://host.example/a/b.git', 'src/b'],
    ['git', 'log', '--format=%H:%an %ad|%s', '--since=2024/01/02'],
    ['git', 'push', 'origin', 'feature/x:feature/y'],
    ['git', 'add', '.gitignore', '.github/workflows/x.yml'],
    ['git', 'config', '--get', 'user.name'],
    ['grep', '-rn', '/api/tasks', 'src'],
    ['grep', '-E', '^/usr/(bin|lib)/\\.\\./', 'src'],
    ['grep', '../x', 'src/a.ts'],
    ['rg', '-n', '"/etc/passwd"', 'src'],
    ['git', 'grep', '-n', '/etc/hosts', 'src'],
    ['rg', '--hidden', 'a|b', '--include=*.ts'],
    ['sed', '-n', '/foo/p', 'src/a.ts'],
    ['sed', 's/a/b/g', 'src/a.ts'],
    ['sed', '-n', '1,20p', 'src/a.ts'],
    ['echo', '../x', '/etc/passwd', '~'],
    ['find', '.', '-name', '*.ts', '-not', '-path', './node_modules/*'],
    ['find', 'src', '-path', '**/lib/*'],
    ['npm', 'install', '@scope/package@1.2.3', 'a@npm:b@1'],
    ['npm', 'run', 'test:unit', '--', '--grep=a/b'],
    ['npx', 'vitest', 'run', 'test/core/**/*.test.ts'],
    ['curl', 'https://host.example/a/b?c=d&e=/f', '-o', 'out.json'],
    ['curl', '-H', 'accept: text/html, */*', 'http://127.0.0.1:8080/'],
    ['curl', 'https://a.example/?next=https://b.example/x'],
    ['curl', '-o', '/dev/null', '-s', 'https://host.example'],
    ['curl', '-d', '{"path": "/nowhere-at-all/x", "rate": 1}', 'https://host.example'],
    ['node', '--test', '--import=tsx', 'test/a.test.ts'],
    ['gcc', '-Isrc/include', '-O2', '-Wl,-rpath,lib', '-o', 'main', 'main.c'],
    ['tar', '-czf', 'out.tgz', '--exclude=../x', '--exclude-dir=/etc', 'src'],
    ['python3', 'manage.py', 'migrate', '--settings=a.b.c', '1/2'],
    ['docker', 'run', '-p', '8080:80', 'image:1.2'],
    ['psql', 'postgres://user@host.example/db', '-c', 'select 1 / 2'],
    ['date', '+%Y/%m/%d'],
    ['test', '-f', 'a', '-a', '', '-n', 'x'],
    ['jq', '.a[0] | .b // "x"', 'a.json'],
    ['printf', '%s\n', '..'],
    ['make', '-j4', 'CFLAGS=-O2 -g'],
    ['go', 'test', './...'],
    ['bazel', 'query', 'a:b'],
    ['cat', '~$doc.docx'],
    ['ls', 'x'.repeat(3000), 'y'.repeat(6000)],
  ])('allows the command %s %s %s %s %s', async (...argv) => {
    await using tree = await plantLinks();
    expect(await command(tree, ...argv)).toBeUndefined();
  });

  it('resolves relative words from the directory of the command, which must be inside the workspace', async () => {
    await using tree = await plantLinks();
    await tree.link(tree.outside, 'src/here');
    const run = async (cwd: string, word: string) =>
      pathTraversal.check(await guardedCall(tree.workspace, { command: { argv: ['cat', word], cwd } }));
    expect(await run(`${tree.workspace}/src`, 'here/secret.txt')).toContain('leads out');
    expect(await run(tree.workspace, 'here/secret.txt')).toBeUndefined();
    // A parent segment is refused even if it leads inside the workspace.
    for (const word of ['..', '--dir=..', '-I..', 'x=..,a', '".."', '../src', '-C../src'])
      expect(await run(`${tree.workspace}/src`, word)).toContain('parent-directory');
    expect(await run(tree.outside, '')).toContain('leads out');
    expect(await run(`${tree.workspace}/out`, 'secret.txt')).toContain('leads out');
  });

  it('follows a link whose name is the beginning of a URL', async () => {
    await using tree = await plantLinks();
    expect(await command(tree, 'cat', 'https://etc/passwd')).toBeUndefined();
    await tree.link('/', 'https:');
    expect(await command(tree, 'cat', 'https://etc/passwd')).toContain('leads out');
  });

  it('refuses words that may contain too many paths to check', async () => {
    await using tree = await plantLinks();
    const many = Array.from({ length: 3000 }, (_, at) => `a${at}`).join(',');
    expect(await command(tree, 'cat', many)).toContain('too many paths');
  });
});

describe('path-traversal on the arguments of an MCP tool', () => {
  it.each<Record<string, unknown>>([
    { path: '../x' },
    { path: '/etc/passwd' },
    { path: '/nowhere' },
    { file: 'out/secret.txt' },
    { filePath: 'file-out' },
    { a: { b: [{ directory: 'out' }] } },
    { paths: ['src/a.ts', 'out'] },
    { source: 'src/a.ts', destination: '/tmp/x' },
    { uri: 'file:///etc/passwd' },
    { resource_uri: 'fs:///etc/passwd' },
    { cwd: '~' },
    { root: '%2e%2e%2fx' },
    { path: { nested: '/nowhere' } },
    { anything: '/etc/passwd' },
    { anything: 'a/../../b' },
    { anything: '~/x' },
    { anything: 'file:///etc/passwd' },
    { anything: '..' },
    { anything: ['x', { y: 'src/%2e%2e/x' }] },
    { anything: 'file-out' },
    { path: '.git/hooks/pre-commit' },
  ])('path-traversal refuses the MCP arguments %j', async (args) => {
    await using tree = await plantLinks();
    expect(await pathTraversal.check(await serverCallIn(tree.workspace, args))).toEqual(expect.any(String));
  });

  it.each<Record<string, unknown>>([
    { path: 'src/a.ts', limit: 3, deep: { isX: true, none: null } },
    { path: '.' },
    { uri: 'https://host.example/a/b' },
    { url: 'https://host.example/etc/passwd' },
    { uri: 'note://host/a' },
    { repo: 'owner/name', location: 'Vienna, AT' },
    { endpoint: '/api/tasks/1' },
    { text: 'import x from "../y";\nread("/etc/passwd")\n' },
    { text: 'see ../docs, and ~ or 1/2' },
    { query: 'a...b', ratio: '1/2', range: 'HEAD..main' },
    { body: `${'word, '.repeat(5000)}` },
    { text: '~' },
    { content: '' },
  ])('path-traversal allows the MCP arguments %j', async (args) => {
    await using tree = await plantLinks();
    expect(await pathTraversal.check(await serverCallIn(tree.workspace, args))).toBeUndefined();
  });

  it('refuses too many arguments, and checks arguments of any depth', async () => {
    await using tree = await plantLinks();
    const many = { list: Array.from({ length: 200_000 }, (_, at) => String(at)) };
    expect(await pathTraversal.check(await serverCallIn(tree.workspace, many))).toContain('too many texts');
    let deep: Record<string, unknown> = { path: '/etc' };
    for (let depth = 0; depth < 20_000; depth++) deep = { deep };
    expect(await pathTraversal.check(await serverCallIn(tree.workspace, deep))).toContain('leads out');
  });

  it.each<[string, string | undefined]>([
    ['a.', undefined],
    ['x://', undefined],
    ['%25', undefined],
    ['../', 'parent-directory'],
    ['=a', 'too many paths'],
  ])('path-traversal finishes on a long text of %s', async (part, reason) => {
    await using tree = await plantLinks();
    const text = part.repeat(200_000);
    const found = await pathTraversal.check(await serverCallIn(tree.workspace, { path: text, text }));
    if (reason === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(reason);
  });

  it('ignores the arguments of built-in tools, which declare their paths', async () => {
    await using tree = await plantLinks();
    const call = await guardedCall(tree.workspace, {}, { args: { path: '/etc' }, tool: testTool() });
    expect(await pathTraversal.check(call)).toBeUndefined();
  });
});
