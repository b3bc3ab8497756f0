import { realpathSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import { isInside } from '../../paths/real-path.ts';
import { defaultPath } from '../../processes/default-path.ts';

/** What a command inherits of the daemon's environment: nothing else, and so no key. */
const inherited = /^(LANG|LANGUAGE|LC_\w+|TZ)$/;

/** Settings of git that make it run programs by itself, or look at what others prepared; a later one wins. */
const gitSettings = (isSandboxed: boolean): [string, string][] => [
  ['core.fsmonitor', 'false'],
  ['safe.bareRepository', 'explicit'],
  ...(isSandboxed ? [] : [['diff.ignoreSubmodules', 'all'] as [string, string]]),
];

/** The whole environment of a command that works in this folder. */
export function commandEnvironment(
  env: Record<string, string | undefined>,
  workspace: string,
  isSandboxed: boolean,
): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && inherited.test(name)) variables[name] = value;
  const temporary = isSandboxed ? '/tmp' : (env['TMPDIR'] ?? '/tmp');
  Object.assign(variables, {
    PATH: programPath(env['PATH'] ?? defaultPath, isSandboxed ? undefined : workspace),
    HOME: workspace,
    TMPDIR: temporary,
    TERM: 'dumb',
    NO_COLOR: '1',
    PAGER: 'cat',
    GIT_PAGER: 'cat',
    GIT_EDITOR: 'true',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_CEILING_DIRECTORIES: dirname(workspace),
  });
  if (isSandboxed) Object.assign(variables, { XDG_CACHE_HOME: '/tmp/cache', npm_config_cache: '/tmp/npm' });
  const settings = gitSettings(isSandboxed);
  variables['GIT_CONFIG_COUNT'] = String(settings.length);
  for (const [index, [key, value]] of settings.entries()) {
    variables[`GIT_CONFIG_KEY_${index}`] = key;
    variables[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return variables;
}

/** Absolute folders only; without a sandbox a name means a program of the machine, never one that the workspace brings. */
const programPath = (path: string, workspace?: string): string =>
  path
    .split(':')
    .filter((folder) => isAbsolute(folder))
    .filter((folder) => workspace === undefined || !isInside(workspace, realPath(folder)))
    .join(':');

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // What is not there holds no programs.
    return path;
  }
}
