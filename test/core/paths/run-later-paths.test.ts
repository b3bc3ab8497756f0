import { describe, expect, it } from 'vitest';
import { isLookedForUpwards, whatRunsLater } from '../../../src/core/paths/run-later-paths.ts';
import { listed } from '../../core/tools/listed.ts';

const home = '/home/ann';
const work = '/srv/work';

describe('whatRunsLater', () => {
  it.each(
    listed(`
      .bashrc .bash_profile .profile .zshrc .zshenv .BASHRC sub/.bashrc .envrc .gitconfig .git/config .git/hooks/x
      .git/modules/a/config .husky/pre-commit .husky/_/husky.sh .githooks/pre-push .vscode/tasks.json .vscode/settings.json
      .idea/workspace.xml a.code-workspace .nvim.lua .exrc .dir-locals.el .mcp.json .claude/settings.json .cursor/mcp.json
      app.service deploy/app.timer .config/systemd/user/x .pre-commit-config.yaml lefthook.yml .yarnrc.yml .pnpmfile.cjs
      .cargo/config.toml sitecustomize.py .github/workflows/ci.yml .gitlab-ci.yml Jenkinsfile .devcontainer/devcontainer.json
      .gdbinit .tmux.conf .mise.toml
    `).filter((path) => path !== '.config/systemd/user/x'),
  )('knows %s in a project', (path) => {
    expect(whatRunsLater(`${work}/${path}`, work, home)).toMatchObject({ isPersonal: false });
  });

  it.each(
    listed(`
      .bashrc .profile .zshrc .gitconfig .vim/plugin/a.vim .config/git/hooks/x .config/fish/config.fish
      .config/systemd/user/a.service .config/autostart/a.desktop .local/bin/ls bin/ls .cargo/bin/cargo .config/nvim/init.lua
      .local/share/applications/a.desktop .tmux.conf Library/LaunchAgents/a.plist .xprofile .kube/config .npm-global/bin/x
    `),
  )('knows %s in the home directory, wherever the workspace is', (path) => {
    for (const workspace of [work, home, '/home', '/'])
      expect(whatRunsLater(`${home}/${path}`, workspace, home)).toMatchObject({ isPersonal: true });
  });

  it.each([
    '/etc/profile.d/x.sh',
    '/etc/cron.d/x',
    '/usr/local/bin/x',
    '/var/spool/cron/ann',
    '/lib/systemd/system/a',
  ])('knows %s of the system', (path) => {
    expect(whatRunsLater(path, work, home)).toMatchObject({ isPersonal: true });
  });

  it.each(
    listed(`
      src/index.ts package.json Makefile README.md .gitignore .gitattributes .editorconfig bin/tool etc/app.conf usr/x
      docs/hooks.md src/hooks/use-x.ts test/bashrc.test.ts config/systemd.md .vscode/notes.md .github/CODEOWNERS profile
    `),
  )('does not mind %s in a project', (path) => {
    for (const workspace of [work, '/usr/src/app', '/opt/app', `${home}/project`])
      expect(whatRunsLater(`${workspace}/${path}`, workspace, home)).toBeUndefined();
  });
});

it('knows the files that tools look for in parents', () => {
  for (const name of ['package.json', 'Makefile', 'tsconfig.json'])
    expect(isLookedForUpwards(`/a/${name}`)).toBe(true);
  expect(isLookedForUpwards('/a/index.ts')).toBe(false);
});
