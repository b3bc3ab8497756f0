import { mkdir, writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { AgentPreset } from '../agents/presets.ts';
import { codeOf } from '../paths/file-errors.ts';
import type { AgentState } from '../processes/agent-sandbox.ts';

/** The variables by which people move a directory of an agent out of its usual place in the home directory. */
const movedBy: Record<string, string> = {
  '.claude': 'CLAUDE_CONFIG_DIR',
  '.codex': 'CODEX_HOME',
  '.config': 'XDG_CONFIG_HOME',
  '.local/share': 'XDG_DATA_HOME',
  '.local/state': 'XDG_STATE_HOME',
  '.cache': 'XDG_CACHE_HOME',
};

/** What stands in a file of settings that has none. */
const emptySettings: Record<string, string> = { json: '{}\n', toml: '' };

/** Where an agent keeps its state on this machine. */
export function agentState(
  { state, settings }: Pick<AgentPreset, 'state' | 'settings'>,
  { home, env }: { home: string; env: Record<string, string | undefined> },
): AgentState {
  const located = (path: string) => locate(path, home, env);
  return { written: state.map(located), fixed: settings.map(located) };
}

/**
 * Creates what is missing, so that the agent can write to it, or cannot. A file of a login must not be there before the
 * login.
 */
export async function createState({ written, fixed }: AgentState, logins: readonly string[]): Promise<void> {
  for (const path of written) await mkdir(path, { recursive: true, mode: 0o700 }).catch(ignoreMissing);
  for (const path of fixed.filter((one) => !logins.some((login) => one.endsWith(`/${login}`)))) {
    const content = emptySettings[path.split('.').at(-1) ?? ''] ?? '';
    await writeFile(path, content, { flag: 'wx', mode: 0o600 }).catch(ignoreMissing);
  }
}

/** What exists stays as it is; where the daemon cannot write, the agent could not either. */
function ignoreMissing(error: unknown): void {
  if (!['EEXIST', 'EACCES', 'EROFS', 'EPERM', 'ENOTDIR', 'ENOENT'].includes(codeOf(error) ?? '')) throw error;
}

function locate(path: string, home: string, env: Record<string, string | undefined>): string {
  for (const [usual, variable] of Object.entries(movedBy)) {
    const moved = env[variable];
    if (moved === undefined || !isAbsolute(moved)) continue;
    if (path === usual || path.startsWith(`${usual}/`)) return join(moved, path.slice(usual.length));
  }
  return join(home, path);
}
