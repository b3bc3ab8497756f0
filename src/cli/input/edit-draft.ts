import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The editor that the user has set. */
export const editorOf = (env: Record<string, string | undefined>): string =>
  env['VISUAL'] || env['EDITOR'] || 'vi';

/** Opens a draft in an editor and resolves with what was saved; throws where the editor does not start or fails. */
export async function editDraft(draft: string, editor: string, fileName = 'message.md'): Promise<string> {
  // Commands that could open an editor rarely do, and need not wait for these to load.
  const { spawn } = process.getBuiltinModule('node:child_process');
  const { mkdtemp, readFile, rm, writeFile } = process.getBuiltinModule('node:fs/promises');
  const folder = await mkdtemp(join(tmpdir(), 'svc-draft-'));
  try {
    const file = join(folder, fileName);
    await writeFile(file, draft, { mode: 0o600 });
    // By the shell, because people set editors with arguments: EDITOR="code --wait".
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`"${editor}" failed. Set EDITOR to the editor that you use.`);
    return (await readFile(file, 'utf8')).replace(/\n$/, '');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
