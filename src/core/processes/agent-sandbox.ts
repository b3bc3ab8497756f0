import { lstat, realpath } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { isInside } from '../paths/real-path.ts';
import { processMarker } from './marked-processes.ts';
import { programRoots, rootsOfArguments } from './program-roots.ts';
import { type GitReading, readGit } from './read-git.ts';
import type { SandboxedCommand, SandboxMount } from './sandbox.ts';
import { pathsInScript } from './script-paths.ts';
import { worktreeMounts, worktreeRepository } from './worktree-repository.ts';

/** A path of the machine that an administrator opens to agents; `~/` stands for the home directory. */
export interface OpenedPath {
  path: string;
  write: boolean;
}

/** Where an agent keeps what it needs from one run to the next, as absolute paths. */
export interface AgentState {
  /** Files and directories that it writes. */
  written: readonly string[];
  /** Those among them from which it reads which programs to run: it cannot change them. */
  fixed: readonly string[];
}

export interface AgentSandboxDeps {
  /** The home directory of the user who runs the daemon. */
  home: string;
  /** The daemon's own directories, as real paths. */
  protectedDirectories: readonly string[];
  shells: GitReading['shells'];
}

/** An agent that is to start in the sandbox. */
export interface SandboxedAgent {
  /** The path of its program. */
  program: string;
  args: readonly string[];
  /** The directory that it works in, as a real absolute path. */
  workspace: string;
  /** Whether it only reads there. */
  isReadOnly: boolean;
  /** Whether it only reads the repository to which a worktree belongs. */
  isRepositoryReadOnly?: boolean;
  /** Its complete environment, except the marker. */
  env: Record<string, string | undefined>;
  mark: string;
  state: AgentState;
  /** Programs and their arguments that it starts itself, such as MCP servers. */
  helpers: readonly (readonly string[])[];
  /** Texts of the settings and the task, among them files that the agent is meant to read. */
  named: readonly string[];
  opened: readonly OpenedPath[];
}

export interface AgentCommand {
  command: SandboxedCommand;
  /** The environment to start bwrap with: not among the arguments, because it may hold keys. */
  env: Record<string, string | undefined>;
  /** The part of the repository of a worktree that the agent writes to. */
  repositories: string[];
  /** The directories besides the workspace that it sees and that may hold files of people. */
  visible: string[];
  /** Opened paths that stay closed, and why. */
  refused: { path: string; reason: string }[];
}

/** Everything that the sandbox of an agent shows of this machine besides the system, as a command for `Sandbox.wrap`. */
export async function agentCommand(deps: AgentSandboxDeps, agent: SandboxedAgent): Promise<AgentCommand> {
  const { workspace, isReadOnly, env, mark, args, helpers, state, opened } = agent;
  const home = await realpath(deps.home).catch(() => deps.home);
  const closed = [home, deps.home, ...deps.protectedDirectories];
  const started = await programRoots(agent.program, closed);
  const wrapped = await Promise.all(
    [agent.program, ...helpers.map(([program = '']) => program)].map(async (program) =>
      realpath(program)
        .then(pathsInScript)
        .catch(() => []),
    ),
  );
  const named = [...args, ...helpers.flat(), ...agent.named, ...wrapped.flat()];
  const { roots: namedRoots, aliases } = await rootsOfArguments(named, closed);
  const roots = [...new Set([...started.roots, ...namedRoots])];
  const repository = await worktreeRepository(workspace);
  const keepsRepository = isReadOnly || agent.isRepositoryReadOnly === true;
  const shown = await openedMounts(opened, deps);
  const mounts = [
    // First, because a directory that is shown as a whole has the link itself.
    ...aliases
      .filter(({ source, target }) =>
        [source, target].every((path) => isOutside(path, deps.protectedDirectories)),
      )
      .map((alias) => ({ ...alias, isReadOnly: true })),
    // For what tools keep there; the home directory itself cannot be written to.
    { target: join(deps.home, '.cache'), isMemory: true as const },
    ...(await stateMounts(state, deps)),
    ...roots
      .filter((root) => isOutside(root, deps.protectedDirectories))
      .map((root) => ({ source: root, target: root, isReadOnly: true })),
    ...shown.mounts,
    ...(repository ? await worktreeMounts(repository, keepsRepository) : []),
  ];
  return {
    command: {
      argv: [started.program, ...args],
      cwd: workspace,
      workspace,
      env: { [processMarker]: mark },
      mounts,
      isReadOnly,
      hasNetwork: true,
      keepsEnvironment: true,
    },
    env: {
      ...env,
      HOME: deps.home,
      TMPDIR: '/tmp',
      ...(await toolSettings({ env, cwd: workspace, shells: deps.shells })),
    },
    repositories: repository && !keepsRepository ? [repository.own] : [],
    visible: [home, ...shown.mounts.map(({ source }) => source)],
    refused: shown.refused,
  };
}

/** Whether nothing of these directories would be visible through a path. */
const isOutside = (path: string, directories: readonly string[]) =>
  !directories.some((one) => isInside(one, path) || isInside(path, one));

async function stateMounts(
  { written, fixed }: AgentState,
  { protectedDirectories }: AgentSandboxDeps,
): Promise<SandboxMount[]> {
  const mounts: SandboxMount[] = [];
  for (const [paths, isReadOnly] of [[written, false] as const, [fixed, true] as const])
    for (const target of paths) {
      // A link, such as one to a directory of settings, shows what it leads to.
      const source = await realpath(target).catch(() => undefined);
      if (source !== undefined && isOutside(source, protectedDirectories))
        mounts.push({ source, target, isReadOnly });
    }
  return mounts;
}

async function openedMounts(
  opened: readonly OpenedPath[],
  { home, protectedDirectories }: AgentSandboxDeps,
): Promise<{
  mounts: { source: string; target: string; isReadOnly: boolean }[];
  refused: AgentCommand['refused'];
}> {
  const mounts: { source: string; target: string; isReadOnly: boolean }[] = [];
  const refused: AgentCommand['refused'] = [];
  for (const { path, write } of opened) {
    const target = path === '~' ? home : path.startsWith('~/') ? join(home, path.slice(2)) : join(path);
    const source = isAbsolute(target) ? await realpath(target).catch(() => undefined) : undefined;
    const entry = source === undefined ? undefined : await lstat(source);
    if (source === undefined || !(entry?.isDirectory() || entry?.isFile()))
      refused.push({ path, reason: 'There is no such file or directory' });
    else if (source === '/' || !isOutside(source, protectedDirectories))
      refused.push({ path, reason: 'It holds the data of the daemon' });
    else
      for (const shownAs of new Set([source, target]))
        mounts.push({ source, target: shownAs, isReadOnly: !write });
  }
  // Parents first, because later mounts cover earlier ones.
  mounts.sort((one, other) => one.target.length - other.target.length);
  return { mounts, refused };
}

/** What tools inside find in the environment in place of files of the home directory. */
async function toolSettings(git: GitReading): Promise<Record<string, string | undefined>> {
  const { env } = git;
  const settings: Record<string, string | undefined> = {
    npm_config_cache: env['npm_config_cache'] ?? '/tmp/npm',
  };
  // Git packs only what it can write to as a whole.
  const values: [string, string][] = [
    ['gc.auto', '0'],
    ['maintenance.auto', 'false'],
  ];
  const identity = ['config', '--null', '--get-regexp', String.raw`^user\.(name|email)$`];
  for (const entry of ((await readGit(identity, git)) ?? '').split('\0')) {
    const [key = '', ...value] = entry.split('\n');
    if (value.length > 0) values.push([key, value.join('\n').trim()]);
  }
  // Codex removes each variable with KEY in its name from the environment of commands, so also GIT_CONFIG_KEY_0.
  const parameters = values.map(([key, value]) => `'${`${key}=${value}`.replaceAll("'", String.raw`'\''`)}'`);
  const given = env['GIT_CONFIG_PARAMETERS'];
  settings['GIT_CONFIG_PARAMETERS'] = [...(given === undefined ? [] : [given]), ...parameters].join(' ');
  return settings;
}
