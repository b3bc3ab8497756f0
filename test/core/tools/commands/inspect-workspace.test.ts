import { mkdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { SecretFiles } from '../../../../src/core/paths/secret-files.ts';
import { isSecretPath } from '../../../../src/core/paths/secret-paths.ts';
import { Sandbox } from '../../../../src/core/processes/sandbox.ts';
import { inspectWorkspace } from '../../../../src/core/tools/commands/inspect-workspace.ts';
import { grepTool } from '../../../../src/core/tools/files/grep.ts';
import { readFileTool } from '../../../../src/core/tools/files/read-file.ts';
import { secretExfiltration } from '../../../../src/core/tools/guards/secret-exfiltration.ts';
import { commandIn, runTool } from '../guarded-calls.ts';
import { canary, plantTree, type TestTree } from '../test-tree.ts';
import { call, hasSandbox, path } from './command-setup.ts';

const mayRead = (file: string) => !isSecretPath(file);
const signal = new AbortController().signal;

/** A large project with secrets in the last places that anybody looks at. */
async function plantProject(): Promise<TestTree> {
  const tree = await plantTree();
  for (let at = 0; at < 40; at++) await tree.write(`src/d${at}/file.ts`);
  for (const directory of ['node_modules/a', 'src/d39/deep', 'z/z/z'])
    await tree.write(`${directory}/.env`, `KEY=${canary}`);
  await tree.write('z/notes.txt', `-----BEGIN PRIVATE KEY-----\n${canary}\n`);
  await tree.write('z/deploy.json', `{"host": "h", "password": "x9${canary}"}`);
  return tree;
}

describe('inspectWorkspace', () => {
  it('finds every secret by name, in packages too, and by content', async () => {
    await using tree = await plantProject();
    const secrets = new SecretFiles();
    const isSecret = (file: string) => secrets.isSecret(file, tree.workspace);
    const { hidden, isCut } = await inspectWorkspace(tree.workspace, { mayRead, isSecret, signal });
    expect(isCut).toBe(false);
    expect(hidden.map((file) => file.slice(tree.workspace.length + 1)).sort()).toEqual([
      'node_modules/a/.env',
      'src/d39/deep/.env',
      'z/deploy.json',
      'z/notes.txt',
      'z/z/z/.env',
    ]);
  });

  it.each([1, 10, 50, 80])('hides what it did not reach after %i entries', async (maxEntries) => {
    await using tree = await plantProject();
    const { hidden, isCut } = await inspectWorkspace(tree.workspace, { mayRead, signal, maxEntries });
    expect(isCut).toBe(true);
    for (const secret of ['node_modules/a/.env', 'src/d39/deep/.env', 'z/z/z/.env']) {
      const file = `${tree.workspace}/${secret}`;
      expect(hidden.some((one) => file === one || file.startsWith(`${one}/`))).toBe(true);
    }
  });

  it('sees a file that changes', async () => {
    await using tree = await plantTree();
    const secrets = new SecretFiles();
    const file = await tree.write('a.json', '{"host": "h"}');
    expect(await secrets.isSecret(file, tree.workspace)).toBe(false);
    await tree.write('a.json', '{"host": "h", "password": "x9fw31kq"}');
    expect(await secrets.isSecret(file, tree.workspace)).toBe(true);
  });
});

describe('credentials in a file with a harmless name', () => {
  const guard = () => secretExfiltration({ protectedDirectories: [], secretFiles: new SecretFiles() });

  it('are not read by a tool, a command or a search', async () => {
    await using tree = await plantProject();
    const { workspace } = tree;
    const secretFiles = new SecretFiles();
    const scope = { mayRead, isSecret: (file: string) => secretFiles.isSecret(file, workspace) };
    await expect(
      runTool(readFileTool, { path: 'z/notes.txt' }, { workspace, guards: [guard()] }),
    ).rejects.toThrow('contains credentials');
    expect(await guard().check(await commandIn(workspace, 'cat', 'z/deploy.json'))).toContain(
      'contains credentials',
    );
    expect(await guard().check(await commandIn(workspace, 'cat', 'src/d1/file.ts'))).toBeUndefined();
    const found = await runTool(grepTool, { pattern: canary }, { workspace, guards: [guard()], scope });
    expect(found).toBe('(No line matches)');
  });

  it.skipIf(!hasSandbox.isWorking)('are unreadable in the sandbox (needs bubblewrap)', async () => {
    await using tree = await plantProject();
    await mkdir(`${tree.workspace}/empty`);
    const { workspace } = tree;
    const secretFiles = new SecretFiles();
    const sandbox = new Sandbox({ path, home: '/root', hiddenDirectories: [] });
    const isSecret = (file: string) => secretFiles.isSecret(file, workspace);
    const output = await call('grep -r CANARY .', { workspace, sandbox, mayRead, isSecret });
    expect(output).not.toContain(canary);
    for (const name of ['z/notes.txt', 'z/deploy.json', 'node_modules/a/.env'])
      expect(output).toContain(`${name}: Permission denied`);
  });
});
