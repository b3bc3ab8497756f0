import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasPlainRepository, isPlainConfig } from '../../../../src/core/tools/commands/plain-repository.ts';
import { makeDirectory } from './command-setup.ts';

const usual = `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = false
# a remark
[remote "origin"]
\turl = git@example.org:a/b.git
\tfetch = +refs/heads/*:refs/remotes/origin/*
[branch "main"]
\tremote = origin
\tmerge = refs/heads/main
[user]
\tname = A
\temail = a@example.org
`;

describe('isPlainConfig', () => {
  it('accepts a configuration as git writes it', () => {
    expect(isPlainConfig(usual)).toBe(true);
    expect(isPlainConfig('')).toBe(true);
  });

  it.each([
    '[core]\n\tfsmonitor = evil',
    '[core]\n\tsshCommand = evil',
    '[core]\n\tpager = evil',
    '[core]\n\thooksPath = evil',
    '[core]\n\tworktree = /',
    '[CORE]\n\tFSMONITOR = evil',
    '[core] fsmonitor = evil',
    '[core]\n\tfilemode = true \\\n\tfsmonitor = evil',
    '[core] # x\n',
    '[include]\n\tpath = evil',
    '[includeIf "gitdir:/"]\n\tpath = evil',
    '[filter "x"]\n\tclean = evil',
    '[diff]\n\texternal = evil',
    '[diff "x"]\n\ttextconv = evil',
    '[alias]\n\tx = !evil',
    '[gpg]\n\tprogram = evil',
    '[log]\n\tshowSignature = true',
    '[remote "x"]\n\tuploadpack = evil',
    '[remote "x"]\n\tpromisor = true',
    '[extensions]\n\tworktreeConfig = true',
    '[submodule "x"]\n\turl = y',
    '[core "x"\n\tfsmonitor = evil',
    '[core.x]\n\tfilemode = true',
    'filemode = true',
    '[core]\n\tfsmonitor',
    '[constructor]\n\tname = x',
  ])('refuses a configuration with %j', (text) => {
    expect(isPlainConfig(text)).toBe(false);
    expect(isPlainConfig(usual + text)).toBe(false);
  });
});

describe('hasPlainRepository', () => {
  it('looks for the repository from the directory up to the workspace', async () => {
    await using directory = await makeDirectory();
    const workspace = join(directory.path, 'work');
    await mkdir(join(workspace, 'sub'), { recursive: true });
    const isPlain = (from: string) => hasPlainRepository(from, workspace);
    await mkdir(join(directory.path, '.git'));
    await writeFile(join(directory.path, '.git', 'config'), usual);
    expect(await isPlain(workspace)).toBe(false);
    await mkdir(join(workspace, '.git'));
    expect(await isPlain(workspace)).toBe(false);
    await writeFile(join(workspace, '.git', 'config'), usual);
    expect(await isPlain(workspace)).toBe(true);
    expect(await isPlain(join(workspace, 'sub'))).toBe(true);
    await writeFile(join(workspace, 'sub', '.git'), 'gitdir: ../.git');
    expect(await isPlain(join(workspace, 'sub'))).toBe(false);
    for (const name of ['.git/commondir', '.gitmodules']) {
      await writeFile(join(workspace, name), 'evil');
      expect(await isPlain(workspace)).toBe(false);
      await rename(join(workspace, name), join(directory.path, 'away'));
      expect(await isPlain(workspace)).toBe(true);
    }
    await rename(join(workspace, '.git'), join(workspace, 'other'));
    await symlink('other', join(workspace, '.git'));
    expect(await isPlain(workspace)).toBe(false);
  });
});
