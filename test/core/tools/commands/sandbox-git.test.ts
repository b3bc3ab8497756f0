import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Sandbox } from '../../../../src/core/processes/sandbox.ts';
import { call, hasSandbox, makeDirectory, path, type TestDirectory } from './command-setup.ts';
import { everyNth } from '../../../helpers/long.ts';

describe.skipIf(!hasSandbox.isWorking)(
  'a sandboxed command and the git of the person (needs bubblewrap)',
  () => {
    let directory: TestDirectory;
    let workspace: string;
    const at = (name: string) => join(workspace, name);
    const marker = () => join(directory.path, 'ran');
    const git = (cwd: string, ...args: string[]) => {
      const identity = [
        '-c',
        'user.name=ann',
        '-c',
        'user.email=ann@x.org',
        '-c',
        'protocol.file.allow=always',
      ];
      const { stdout, stderr, status } = spawnSync('git', [...identity, ...args], { cwd, encoding: 'utf8' });
      return { stdout, stderr, status };
    };
    const run = async (script: string) => {
      await writeFile(at('script.sh'), script);
      const sandbox = new Sandbox({ path, home: '/root', hiddenDirectories: [] });
      return call('sh script.sh', { workspace, sandbox });
    };
    /** What a person does next: looks at the repository and all in it. */
    const look = (...below: string[]) => {
      for (const cwd of ['.', ...below]) {
        git(at(cwd), 'status');
        git(at(cwd), 'diff');
        git(at(cwd), 'add', '-A');
      }
    };
    const evilConfig = () =>
      `[core]\\n\\trepositoryformatversion = 0\\n\\tfsmonitor = touch ${marker()}; false\\n`;

    beforeEach(async () => {
      directory = await makeDirectory('/var/tmp');
      workspace = join(directory.path, 'work');
      const library = join(directory.path, 'library');
      for (const repository of [workspace, library]) {
        await mkdir(repository);
        git(repository, 'init', '-q');
        await writeFile(join(repository, 'file'), 'one\n');
        git(repository, 'add', '.');
        git(repository, 'commit', '-qm', 'first');
      }
      expect(git(workspace, 'submodule', 'add', '-q', library, 'sub').stderr).not.toContain('fatal');
      git(workspace, 'commit', '-qm', 'second');
      await mkdir(at('nested'));
      git(at('nested'), 'init', '-q');
      git(workspace, 'worktree', 'add', '-q', join(directory.path, 'tree'));
    });
    afterEach(() => directory[Symbol.asyncDispose]());

    it('a command can plant a program that git runs unless it is protected', async () => {
      await writeFile(at('.git/config'), evilConfig().replaceAll('\\n', '\n').replaceAll('\\t', '\t'));
      look();
      expect(existsSync(marker())).toBe(true);
    });

    it.each(
      everyNth(3, [
        [
          'settings',
          () => `printf '${evilConfig()}' > .git/config; printf '${evilConfig()}' > .git/config.worktree`,
        ],
        [
          'a swapped settings file',
          () => `printf '${evilConfig()}' > x; cp x y; mv x .git/config; rm -f .git/config; cp y .git/config`,
        ],
        [
          'commondir',
          () =>
            `mkdir -p e/objects e/refs; printf '${evilConfig()}' > e/config; echo ../e > .git/commondir; cat .git/commondir`,
        ],
        ['a swapped repository', () => `mv .git old; cp -r old .git; printf '${evilConfig()}' > .git/config`],
        ['a removed repository', () => `rm -rf .git; mkdir .git; printf '${evilConfig()}' > .git/config`],
        ['the settings of a submodule', () => `printf '${evilConfig()}' > .git/modules/sub/config`],
        [
          'commondir of a submodule',
          () =>
            `mkdir -p e/objects e/refs; printf '${evilConfig()}' > e/config; echo ../../../e > .git/modules/sub/commondir`,
        ],
        [
          'all submodules',
          () =>
            `mv .git/modules .git/other; cp -r .git/other .git/modules; printf '${evilConfig()}' > .git/modules/sub/config`,
        ],
        [
          'where a submodule is',
          () =>
            `cp -r .git/modules/sub evil; printf '${evilConfig()}' > evil/config; echo 'gitdir: ../evil' > sub/.git; rm -f sub/.git; echo 'gitdir: ../evil' > sub/.git`,
        ],
        [
          'a nested repository',
          () => `printf '${evilConfig()}' > nested/.git/config; rm -f nested/.git/config`,
        ],
        [
          'a moved nested repository',
          () =>
            `mv nested other; mkdir nested; cp -r other/.git nested/.git; printf '${evilConfig()}' > nested/.git/config`,
        ],
        [
          'the hooks of a nested repository',
          () =>
            `printf '#!/bin/sh\\ntouch ${marker()}\\n' > nested/.git/hooks/post-index-change; chmod +x nested/.git/hooks/*`,
        ],
        ['a new repository', () => `git init -q new; printf '${evilConfig()}' > new/.git/config`],
        [
          'a new submodule in the index',
          () =>
            `git init -q new; cd new; git -c user.name=a -c user.email=a commit -q --allow-empty -m x; cd ..; git add new; printf '${evilConfig()}' > new/.git/config`,
        ],
        [
          'a new repository among the objects',
          () =>
            `git init -q x; mv x/.git .git/objects/zz; printf '${evilConfig()}' > .git/objects/zz/config; mkdir new; echo 'gitdir: ../.git/objects/zz' > new/.git`,
        ],
        [
          'a new repository in parts',
          () =>
            `mkdir -p new e/objects e/refs/heads g; cp .git/HEAD g/HEAD; echo ../e > g/commondir; printf '${evilConfig()}' > e/config; echo 'gitdir: ../g' > new/.git`,
        ],
        [
          'a bare repository',
          () =>
            `git init -q --bare new; printf '${evilConfig()}' > new/config; printf '\\tbare = false\\n\\tworktree = ..\\n' >> new/config`,
        ],
        [
          'the settings of a worktree',
          () =>
            `cp -r .git/worktrees .git/w; echo ../../../e > .git/worktrees/tree/commondir; mkdir -p e/objects e/refs; printf '${evilConfig()}' > e/config`,
        ],
      ] as [string, () => string][]),
    )('cannot plant %s', async (_, script) => {
      await run(`${script()}\ntrue\n`);
      for (const below of ['nested', 'new', 'sub', 'e', 'g'].filter((name) => existsSync(at(name))))
        look(below);
      git(join(directory.path, 'tree'), 'status');
      expect(existsSync(marker())).toBe(false);
    });

    it('leaves a repository whose hooks or settings are links untouched', async () => {
      await mkdir(at('tracked'));
      spawnSync('rm', ['-rf', at('.git/hooks')]);
      await symlink('../tracked', at('.git/hooks'));
      const hook = `printf '#!/bin/sh\\ntouch ${marker()}\\n'`;
      await run(
        `${hook} > tracked/post-index-change; chmod +x tracked/*; rm .git/hooks; mkdir .git/hooks; ${hook} > .git/hooks/post-index-change; chmod +x .git/hooks/*; true`,
      );
      look();
      expect(existsSync(marker())).toBe(false);
    });

    it('leaves the directory of hooks that the settings name untouched', async () => {
      await mkdir(at('tools/checks'), { recursive: true });
      git(workspace, 'config', 'core.hooksPath', 'tools/checks');
      await run(
        `printf '#!/bin/sh\\ntouch ${marker()}\\n' > tools/checks/post-index-change; chmod +x tools/checks/*; true`,
      );
      look();
      expect(existsSync(marker())).toBe(false);
    });

    it('lets git work in the sandbox, and leaves no trace in the repository', async () => {
      const before = readdirSync(at('.git')).sort();
      const output = await run(
        'set -e; git status; echo two > file; git add file; git -c user.name=a -c user.email=a@b commit -qm third; git checkout -q -b topic; git log --oneline; git init -q fresh; git -C fresh status',
      );
      expect(output).toContain('third');
      expect(output).toMatch(/^Exit code 0/);
      expect(output).not.toContain('renamed');
      const { stdout, status } = git(workspace, 'log', '--format=%s');
      expect([status, stdout.split('\n')[0]]).toEqual([0, 'third']);
      expect(git(workspace, 'fsck').status).toBe(0);
      const added = readdirSync(at('.git')).filter((name) => !before.includes(name));
      expect(added.filter((name) => name !== 'COMMIT_EDITMSG' && name !== 'ORIG_HEAD')).toEqual([]);
      expect(git(at('fresh'), 'status').status).toBe(0);
    });

    it('lets the person use git while a command runs, and removes what a killed daemon left', async () => {
      await writeFile(at('.git/commondir'), '././.\n');
      expect(git(workspace, 'status').status).toBe(0);
      await run('true');
      expect(existsSync(at('.git/commondir'))).toBe(false);
      expect(await readFile(at('.git/HEAD'), 'utf8')).toContain('ref:');
    });

    it('reports what it disarmed', async () => {
      const output = await run(`git init -q new; printf '${evilConfig()}' > new/.git/config`);
      expect(output).toContain('[new/.git/config was renamed, because git would run programs that it names]');
      expect(dirname(marker())).toBe(directory.path);
    });
  },
);
