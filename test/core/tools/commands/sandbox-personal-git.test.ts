import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Sandbox } from '../../../../src/core/processes/sandbox.ts';
import { call, hasSandbox, makeDirectory, path, type TestDirectory } from './command-setup.ts';

describe.skipIf(!hasSandbox.isWorking)("the person's settings of git (needs bubblewrap)", () => {
  let directory: TestDirectory;
  let workspace: string;
  let home: string;
  let env: Record<string, string>;
  const marker = () => join(directory.path, 'ran');
  const git = (...args: string[]) =>
    spawnSync('git', ['-c', 'user.name=ann', '-c', 'user.email=ann@x.org', ...args], {
      cwd: workspace,
      encoding: 'utf8',
      env: { PATH: path, ...env, GIT_CONFIG_NOSYSTEM: '1' },
    });
  const writeSettings = async (file: string, text: string) => {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  };
  const run = async (script: string) => {
    await writeFile(join(workspace, 'script.sh'), script);
    const sandbox = new Sandbox({ path, home: '/root', hiddenDirectories: [] });
    return call('sh script.sh', { workspace, sandbox, env });
  };
  const plantHook = (folder: string) =>
    run(
      `printf '#!/bin/sh\\ntouch ${marker()}\\n' > ${folder}/post-index-change; chmod +x ${folder}/*; true`,
    );
  /** What the person does next. */
  const work = async () => {
    await writeFile(join(workspace, 'file'), `${Math.random()}`);
    git('add', '-A');
    git('status');
  };

  beforeEach(async () => {
    directory = await makeDirectory('/var/tmp');
    home = join(directory.path, 'home');
    workspace = join(directory.path, 'work');
    env = { HOME: home };
    await mkdir(home);
    await mkdir(join(workspace, 'tools/checks'), { recursive: true });
    expect(git('init', '-q').status).toBe(0);
  });
  afterEach(() => directory[Symbol.asyncDispose]());

  const places: [string, () => Promise<void>][] = [
    ['~/.gitconfig', () => writeSettings(join(home, '.gitconfig'), hooks('tools/checks'))],
    [
      'an absolute path',
      () => writeSettings(join(home, '.gitconfig'), hooks(join(workspace, 'tools/checks'))),
    ],
    [
      'a path with a comment',
      () => writeSettings(join(home, '.gitconfig'), hooks('"tools/checks" # of the team')),
    ],
    ['~/.config/git/config', () => writeSettings(join(home, '.config/git/config'), hooks('tools/checks'))],
    [
      '$XDG_CONFIG_HOME/git/config',
      () => {
        env['XDG_CONFIG_HOME'] = join(directory.path, 'xdg');
        return writeSettings(join(directory.path, 'xdg/git/config'), hooks('tools/checks'));
      },
    ],
    [
      'a file that another includes',
      async () => {
        await writeSettings(join(home, '.gitconfig'), '[include]\n\tpath = more.gitconfig\n');
        await writeSettings(join(home, 'more.gitconfig'), hooks('tools/checks'));
      },
    ],
  ];

  it.each(places)('a directory of hooks that %s names is read-only', async (_, write) => {
    await write();
    await plantHook('tools/checks');
    await work();
    expect(existsSync(marker())).toBe(false);
    // The hook would have run.
    await writeFile(join(workspace, 'tools/checks/post-index-change'), `#!/bin/sh\ntouch ${marker()}\n`, {
      mode: 0o755,
    });
    await work();
    expect(existsSync(marker())).toBe(true);
  });

  it('a file in the workspace that ~/.gitconfig includes is read-only', async () => {
    const shared = join(workspace, 'shared.gitconfig');
    await writeSettings(shared, '');
    await writeSettings(join(home, '.gitconfig'), `[include]\n\tpath = ${shared}\n`);
    await run('echo changed > shared.gitconfig; true');
    expect(await readFile(shared, 'utf8')).toBe('');
  });

  it('a directory of hooks is read-only in a workspace without a repository', async () => {
    await writeSettings(join(home, '.gitconfig'), hooks(join(workspace, 'tools/checks')));
    spawnSync('rm', ['-rf', join(workspace, '.git')]);
    await plantHook('tools/checks');
    expect(existsSync(join(workspace, 'tools/checks/post-index-change'))).toBe(false);
  });

  it('missing settings and files that include each other change nothing', async () => {
    await writeSettings(join(home, '.gitconfig'), '[include]\n\tpath = .gitconfig\n\tpath = missing\n');
    await run('echo new > tools/checks/free');
    expect(await readFile(join(workspace, 'tools/checks/free'), 'utf8')).toBe('new\n');
  });
});

const hooks = (value: string) => `[core]\n\thooksPath = ${value}\n`;
