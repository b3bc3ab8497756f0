import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Files that an agent reads at its start, in a folder of their own that only this user can read. Disposing removes it. */
export async function writeStartFiles(
  files: Readonly<Record<string, string>>,
): Promise<{ folder: string; paths: string[] } & AsyncDisposable> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'svc-agent-')));
  const paths = Object.keys(files).map((name) => join(folder, name));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return {
    folder,
    paths,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
