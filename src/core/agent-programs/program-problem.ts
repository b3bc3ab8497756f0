import type { AgentProblem } from '../agents/agent-adapter.ts';
import type { AgentPreset } from '../agents/presets.ts';
import type { ConfiguredAgent } from './configured-agents.ts';

const problem = (state: AgentProblem['state'], what: string, next: string): AgentProblem => ({
  state,
  message: `${what}. ${next}`,
  next,
});

/** The program of the agent was not found. */
export function notFound({ type, preset, program, programSetting, isAdded }: ConfiguredAgent): AgentProblem {
  if (isAdded)
    return problem(
      'not_installed',
      `${program}, the program of the agent "${type}", was not found`,
      `Install it, or give its path: svc agents add ${type} --acp --force -- PATH`,
    );
  if (programSetting !== undefined)
    return problem(
      'not_installed',
      `${program}, which ${programSetting} names, was not found`,
      `Set the right path: svc config set ${programSetting} PATH`,
    );
  return problem(
    'not_installed',
    `${preset.title} is not installed, or not in the PATH of the daemon`,
    `Install it: ${preset.install}`,
  );
}

/** The agent has refused its login, or there is none where it is usually kept. */
export function loginProblem({ type, preset }: { type: string; preset: AgentPreset }): AgentProblem {
  const { how } = preset.login;
  return {
    state: 'needs_login',
    message: `${type} needs a login: ${how}`,
    next: how.charAt(0).toUpperCase() + how.slice(1),
  };
}

/** The program is older than svc supports. */
export const tooOld = ({ preset }: ConfiguredAgent, version: string): AgentProblem =>
  problem(
    'too_old',
    `${preset.title} ${version} is too old: svc needs ${preset.versions.min} or newer`,
    `Update it: ${preset.install}`,
  );
