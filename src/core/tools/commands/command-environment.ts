import { realpathSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import { isInside } from '../../paths/real-path.ts';
import { defaultPath } from '../../processes/default-path.ts';

/** The only variables that a command inherits from the daemon's environment, so that it gets no keys. */
const inherited = /^(LANG|LANGUAGE|LC_\w+|TZ)$/;

/** Git settings that keep it from running configured programs and from using planted repositories. */
const gitSettings = (isSandboxed: boolean): [string, string][] => [
  ['core.fsmonitor', 'false'],
  ['safe.bareRepository', 'explicit'],
  ...(isSandboxed ? [] : [['diff.ignoreSubmodules', 'all'] as [string, string]]),
];

/** The complete environment of a command that works in this workspace. */
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

/** Keeps absolute directories only; without a sandbox, none inside the workspace, so that it cannot replace programs. */
const programPath = (path: string, workspace?: string): string =>
  path
    .split(':')
    .filter((directory) => isAbsolute(directory))
    .filter((directory) => workspace === undefined || !isInside(workspace, realPath(directory)))
    .join(':');

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // A directory that does not exist holds no programs.
    return path;
  }
}
