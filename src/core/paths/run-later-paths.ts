import { relative } from 'node:path';
import { foldName } from './fold-name.ts';
import { isInside } from './real-path.ts';

/**
 * What runs files of a kind, as the subject of a sentence, and the files: a name, or a path whose last parts match. `*` is
 * any text in one name. A trailing slash means a directory with everything in it.
 */
export interface RunLaterRule {
  by: string;
  /** In any directory. */
  paths: string;
  /** Below the home directory, or at an absolute path. */
  home?: string;
}

/** Files that other programs run, or take commands from, after they were written. */
export const runLaterRules: readonly RunLaterRule[] = [
  {
    by: 'A shell runs it when it starts or ends',
    paths: `.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .bash_completion .bashrc.d/ .profile .zshrc .zshenv
      .zprofile .zlogin .zlogout .zsh/ .oh-my-zsh/ .kshrc .mkshrc .shrc .cshrc .tcshrc .login .logout .inputrc .xonshrc
      fish/config.fish fish/conf.d/ fish/functions/ nushell/*.nu powershell/*.ps1 .autoenv .autoenv.zsh`,
    home: '.config/fish/ .config/zsh/ .config/bash/ .config/nushell/ .config/powershell/ .config/environment.d/ .pam_environment',
  },
  {
    by: 'direnv or a version manager runs it when you enter the folder',
    paths: '.envrc .direnvrc .mise.toml mise.toml .mise/ .rtx.toml .tool-versions .sdkmanrc',
    home: '.config/direnv/ .config/mise/',
  },
  {
    by: 'git runs it or takes programs from it',
    paths:
      '.gitconfig .gitmodules .git/ .husky/ .githooks/ .git-hooks/ .hooks/ githooks/ git-hooks/ .git-templates/ .overcommit.yml lefthook.yml lefthook.yaml lefthook.toml .lefthook.yml .lefthook/ .pre-commit-config.yaml .pre-commit-hooks.yaml .simple-git-hooks.json .lintstagedrc .lintstagedrc.* .lfsconfig',
    home: '.config/git/',
  },
  {
    by: 'An editor runs tasks and settings from it',
    paths: `.vscode/tasks.json .vscode/launch.json .vscode/settings.json .vscode/extensions/ *.code-workspace .idea/ .fleet/
      .zed/ .nvim.lua .nvimrc .exrc .vimrc .gvimrc .vim/ .emacs .emacs.d/ .dir-locals.el .spacemacs .doom.d/ .helix/
      .kakrc .sublime-project *.sublime-project .devcontainer/ .devcontainer.json .cursor/ .windsurf/ .lvimrc`,
    home: '.config/nvim/ .config/emacs/ .config/helix/ .config/code/user/ .config/zed/ .config/doom/ .local/share/nvim/site/ .vscode-server/',
  },
  {
    by: 'An agent takes programs or permissions from it',
    paths:
      '.mcp.json .claude/settings.json .claude/settings.local.json .claude/hooks/ .claude/commands/ .claude.json .codex/ .gemini/ .aider.conf.yml .opencode/ opencode.json opencode.jsonc .continue/ .amazonq/ .github/copilot-hooks/',
    home: '.config/opencode/ .config/goose/ .config/claude/',
  },
  {
    by: 'The system starts programs from it',
    paths: 'systemd/user/ *.service *.timer *.socket *.desktop crontab .crontab',
    home: `.config/systemd/ .local/share/systemd/ .config/autostart/ .config/autostart-scripts/ .local/share/applications/
      .local/share/dbus-1/ .xinitrc .xprofile .xsession .xsessionrc .xserverrc .config/i3/ .config/sway/ .config/hypr/
      .config/openbox/ .config/plasma-workspace/ library/launchagents/ library/launchdaemons/ library/services/
      /etc/ /lib/systemd/ /usr/ /bin/ /sbin/ /var/spool/ /boot/ /opt/`,
  },
  {
    by: 'It is a program that is found by its name',
    paths: '',
    home: 'bin/ .bin/ .local/bin/ .cargo/bin/ go/bin/ .npm-global/ .yarn/bin/ .bun/bin/ .deno/bin/ .local/share/pnpm/ .nvm/ .pyenv/ .rbenv/ .asdf/ .volta/ .local/lib/',
  },
  {
    by: 'A development tool takes programs from it',
    paths: `.pnpmfile.cjs .pnpmfile.mjs .yarnrc .yarnrc.yml .yarn/releases/ .yarn/plugins/ bunfig.toml .npmrc .cargo/config
      .cargo/config.toml rust-toolchain rust-toolchain.toml .mvn/ .gradle/init.d/ init.gradle sitecustomize.py usercustomize.py *.pth
      .pythonrc .pythonrc.py .pythonstartup .pdbrc .gdbinit .lldbinit .irbrc .pryrc .rprofile .ghci .sqliterc .psqlrc
      .mongorc.js .perltidyrc .screenrc .tmux.conf .wgetrc .curlrc .lessfilter .mailcap .bazelrc .buckconfig .watchmanconfig`,
    home: '.gradle/ .m2/ .ipython/ .jupyter/ .julia/config/ .config/pip/ .config/tmux/ .config/kitty/ .config/alacritty/ .config/wezterm/ .wezterm.lua .docker/cli-plugins/ .kube/ .terraformrc .gemrc .bundle/ .npm/_npx/',
  },
  {
    by: 'A build service runs it after the next push',
    paths:
      '.github/workflows/ .github/actions/ .gitlab-ci.yml .gitlab/ci/ .circleci/ .buildkite/ .woodpecker/ .woodpecker.yml .drone.yml .travis.yml jenkinsfile azure-pipelines.yml bitbucket-pipelines.yml .forgejo/workflows/ .gitea/workflows/',
  },
];

/** Files that run later where they lie in a parent of the work: tools look for them upwards. */
const parentNames = new Set([
  'package.json',
  'makefile',
  'gnumakefile',
  'justfile',
  'taskfile.yml',
  'conftest.py',
  'setup.py',
  'cargo.toml',
  'build.gradle',
  'pom.xml',
  'tsconfig.json',
  'babel.config.js',
  '.eslintrc.js',
  'eslint.config.js',
]);

type Compiled = { by: string; parts: RegExp[]; isDirectory: boolean };

const escape = (text: string) => text.replace(/[.+^${}()|[\]\\]/g, String.raw`\$&`).replaceAll('*', '.*');

const compile = (rules: readonly RunLaterRule[], listOf: (rule: RunLaterRule) => string): Compiled[] =>
  rules.flatMap((rule) =>
    listOf(rule)
      .split(/\s+/)
      .filter(Boolean)
      .map((path) => ({
        by: rule.by,
        parts: path
          .split('/')
          .filter(Boolean)
          .map((part) => new RegExp(`^${escape(part)}$`)),
        isDirectory: path.endsWith('/'),
      })),
  );

const isAbsolute = (path: string) => path.startsWith('/');
const listed = (list: string | undefined, keep: (path: string) => boolean) =>
  (list ?? '').split(/\s+/).filter(keep).join(' ');

const anywhere = compile(runLaterRules, ({ paths }) => paths);
const inHome = compile(runLaterRules, ({ home }) => listed(home, (path) => !isAbsolute(path)));
const inSystem = compile(runLaterRules, ({ home }) => listed(home, isAbsolute));

const startsWith = (segments: string[], { parts, isDirectory }: Compiled, at = 0): boolean =>
  (isDirectory ? segments.length >= at + parts.length : segments.length === at + parts.length) &&
  parts.every((part, ahead) => part.test(segments[at + ahead] ?? ''));

const segmentsOf = (path: string) => path.split('/').filter(Boolean).map(foldName);

export interface RunsLater {
  /** By what, as a sentence. */
  by: string;
  /** Whether it is a file of the person or the system itself, as opposed to one of a project. */
  isPersonal: boolean;
}

/** By what a file would run later; undefined if nothing known runs it. All paths are real, and need not exist. */
export function whatRunsLater(
  path: string,
  workspace: string,
  home: string | undefined,
): RunsLater | undefined {
  const below =
    home !== undefined && home !== '/' && isInside(home, path) ? segmentsOf(relative(home, path)) : undefined;
  const inWork = isInside(workspace, path);
  const personal = below
    ? [...inHome, ...anywhere].find((rule) => startsWith(below, rule))
    : inWork
      ? undefined
      : inSystem.find((rule) => startsWith(segmentsOf(path), rule));
  if (personal) return { by: personal.by, isPersonal: true };
  const segments = segmentsOf(inWork ? relative(workspace, path) : path);
  const found = anywhere.find((rule) => segments.some((_, at) => startsWith(segments, rule, at)));
  return found && { by: found.by, isPersonal: false };
}

/** Whether a file belongs to those that tools look for in the parents of the directory in which they work. */
export const isLookedForUpwards = (path: string): boolean =>
  parentNames.has(foldName(path.split('/').at(-1) ?? ''));
