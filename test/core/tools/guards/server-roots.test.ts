import { describe, expect, it } from 'vitest';
import { SecretFiles } from '../../../../src/core/paths/secret-files.ts';
import { pathTraversal } from '../../../../src/core/tools/guards/path-traversal.ts';
import { secretExfiltration } from '../../../../src/core/tools/guards/secret-exfiltration.ts';
import { guardedCall, testTool } from '../guarded-calls.ts';
import { plantTree, type TestTree } from '../test-tree.ts';

/** A tree with a root next to the workspace, and what a call of a server with that root is answered. */
async function plantRoot() {
  const tree = await plantTree();
  const root = `${tree.root}/notes`;
  await tree.write(`${root}/today.md`);
  await tree.write(`${root}/.git/config`);
  await tree.write(`${root}/.env`, 'A=1');
  await tree.write(`${root}/settings.json`, '{"password":"hunter2-9f8a7b6c5d4e"}');
  await tree.link(`${tree.outside}/secret.txt`, `${root}/out`);
  return { tree, root };
}

const guards = (tree: TestTree) => [
  pathTraversal,
  secretExfiltration({ protectedDirectories: [`${tree.root}/data`], secretFiles: new SecretFiles() }),
];

async function refusalOf(tree: TestTree, path: string, roots: string[] | undefined) {
  const tool = testTool({ server: 'notes', ...(roots && { roots }) });
  const call = await guardedCall(tree.workspace, {}, { args: { path }, tool });
  for (const guard of guards(tree)) {
    const reason = await guard.check(call);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

describe('the roots of an MCP server', () => {
  it('allow its calls to name them and what is in them, new files too', async () => {
    const { tree, root } = await plantRoot();
    await using _ = tree;
    for (const path of [
      root,
      `${root}/`,
      `${root}/today.md`,
      `${root}/new/file.md`,
      `${tree.workspace}/a.ts`,
    ])
      expect(await refusalOf(tree, path, [root])).toBeUndefined();
  });

  it('may be links, and count as what they lead to', async () => {
    const { tree, root } = await plantRoot();
    await using _ = tree;
    const linked = await tree.link(root, `${tree.root}/linked`);
    expect(await refusalOf(tree, `${linked}/today.md`, [linked])).toBeUndefined();
    expect(await refusalOf(tree, `${root}/today.md`, [linked])).toBeUndefined();
  });

  it('allow nothing outside of them', async () => {
    const { tree, root } = await plantRoot();
    await using _ = tree;
    const outside = [
      `${tree.outside}/secret.txt`,
      `${root}-2/x`,
      tree.root,
      '/etc/passwd',
      `${root}/../outside`,
    ];
    for (const path of outside)
      expect(await refusalOf(tree, path, [root])).toMatch(/leads out|parent-directory/);
  });

  it('allow no link that leads out of them', async () => {
    const { tree, root } = await plantRoot();
    await using _ = tree;
    expect(await refusalOf(tree, `${root}/out`, [root])).toContain('leads out of the workspace');
  });

  it('allow nothing to the calls of another server', async () => {
    const { tree, root } = await plantRoot();
    await using _ = tree;
    for (const roots of [undefined, [], [`${tree.root}/other`]])
      expect(await refusalOf(tree, `${root}/today.md`, roots)).toContain('leads out of the workspace');
  });

  it('keep secrets and Git hooks in them refused', async () => {
    const { tree, root } = await plantRoot();
    await using _ = tree;
    expect(await refusalOf(tree, `${root}/.env`, [root])).toContain('secrets are kept');
    expect(await refusalOf(tree, `${root}/settings.json`, [root])).toContain('contains credentials');
    expect(await refusalOf(tree, `${root}/.git/config`, [root])).toContain('.git folder');
    expect(await refusalOf(tree, `${tree.root}/data/x`, [tree.root])).toContain('secrets are kept');
  });
});
