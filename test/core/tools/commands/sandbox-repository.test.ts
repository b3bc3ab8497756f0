import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Sandbox } from '../../../../src/core/processes/sandbox.ts';
import { call, hasSandbox, makeDirectory, path } from './command-setup.ts';

describe.skipIf(!hasSandbox.isWorking)('a git repository in the sandbox (needs bubblewrap)', () => {
  it('prevents a command from adding hooks to a repository without any', async () => {
    await using directory = await makeDirectory('/var/tmp');
    const at = (name: string) => join(directory.path, name);
    for (const name of ['.git/objects', '.git/refs']) await mkdir(at(name), { recursive: true });
    await writeFile(at('.git/HEAD'), 'ref: refs/heads/main\n');
    await writeFile(at('.git/config'), '[core]\n\trepositoryformatversion = 0\n');
    await writeFile(
      at('evil.sh'),
      'echo owned > .git/hooks/pre-commit; mv .git .other; echo a > .git/index.lock; echo ran',
    );
    const sandbox = new Sandbox({ path, home: '/root', hiddenDirectories: [] });
    expect(await call('sh evil.sh', { workspace: directory.path, sandbox })).toContain('ran');
    expect(existsSync(at('.git/hooks/pre-commit'))).toBe(false);
    // Commands may write what git itself writes.
    expect(existsSync(at('.git/index.lock'))).toBe(true);
  });

  it('prevents a command from replacing a .git file', async () => {
    await using directory = await makeDirectory('/var/tmp');
    const at = (name: string) => join(directory.path, name);
    await writeFile(at('.git'), 'gitdir: /elsewhere\n');
    await writeFile(at('evil.sh'), 'echo "gitdir: evil" > .git; rm -f .git; mv .git x; mkdir .git; echo ran');
    const sandbox = new Sandbox({ path, home: '/root', hiddenDirectories: [] });
    expect(await call('sh evil.sh', { workspace: directory.path, sandbox })).toContain('ran');
    expect(await readFile(at('.git'), 'utf8')).toBe('gitdir: /elsewhere\n');
  });
});
