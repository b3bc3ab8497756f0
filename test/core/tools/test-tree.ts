import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** The content of every file outside the workspace; output that contains it is a leak. */
export const canary = 'CANARY-7f3a';

export interface TestTree extends AsyncDisposable {
  /** Contains the workspace and the directory outside of it. */
  root: string;
  workspace: string;
  outside: string;
  /** Writes a file of the workspace and its parent directories; an absolute path may be anywhere. */
  write(path: string, content?: string): Promise<string>;
  link(target: string, path: string): Promise<string>;
  read(path: string): Promise<string>;
}

/** Creates a workspace next to a directory with secrets, both with real paths, removed with the test. */
export async function plantTree(): Promise<TestTree> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'svc-tree-')));
  const workspace = join(root, 'work', 'space');
  const outside = join(root, 'outside');
  const at = (path: string) => (path.startsWith('/') ? path : join(workspace, path));
  const tree: TestTree = {
    root,
    workspace,
    outside,
    async write(path, content = 'plain\n') {
      await mkdir(dirname(at(path)), { recursive: true });
      await writeFile(at(path), content);
      return at(path);
    },
    async link(target, path) {
      await mkdir(dirname(at(path)), { recursive: true });
      await symlink(target, at(path));
      return at(path);
    },
    read: (path) => readFile(at(path), 'utf8'),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
  await mkdir(workspace, { recursive: true });
  await tree.write(`${outside}/secret.txt`, canary);
  await tree.write(`${outside}/deep/secret.txt`, canary);
  return tree;
}
