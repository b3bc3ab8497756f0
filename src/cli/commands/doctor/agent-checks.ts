import type { Agent } from '../../../contract/agents.ts';
import { stateOf } from '../../../contract/agent-state-words.ts';
import type { Check } from './check.ts';

/** Whether each agent can take tasks, or why not; nothing about coding agents that no one has installed or chosen. */
export const agentChecks = (agents: readonly Agent[]): Check[] =>
  agents
    .filter((agent) => stateOf(agent) !== 'not_installed' || agent.isDefault || agent.programSetting)
    .map((agent) => (agent.driver === undefined ? checkAgent(agent) : checkProgram(agent)));

function checkAgent({ type, configured, healthy, isDefault, message }: Agent): Check {
  const common = { name: 'agent', subject: type };
  const name = isDefault ? `${type} (default)` : type;
  if (!configured)
    return {
      ...common,
      status: isDefault ? 'warn' : 'skip',
      message: `${name} is not configured. ${message ?? 'See: svc agents ls'}`,
    };
  if (healthy) return { ...common, status: 'ok', message: `${name} is available` };
  return {
    ...common,
    status: isDefault ? 'fail' : 'warn',
    message: `${name}: ${message ?? 'unhealthy'}`,
    next: `Check again: svc agents test ${type}`,
  };
}

/** A coding agent: its program, its version and its login. */
function checkProgram(agent: Agent): Check {
  const { type, isDefault, version, message, hint } = agent;
  const common = { name: 'agent', subject: type };
  const name = [type, version, isDefault && '(default)'].filter(Boolean).join(' ');
  const next = hint === undefined ? {} : { next: hint };
  switch (stateOf(agent)) {
    case 'ready':
      return message === undefined
        ? { ...common, status: 'ok', message: `${name} is ready` }
        : {
            ...common,
            status: 'warn',
            message: `${name} is ready. ${message}`,
            next: `Test it: svc agents test ${type}`,
          };
    case 'needs_login':
      return { ...common, status: 'warn', message: `${name} needs a login`, ...next };
    case 'not_installed':
    case 'too_old': {
      const status = isDefault ? 'fail' : 'warn';
      const what = stateOf(agent) === 'too_old' ? 'is too old' : 'was not found';
      return { ...common, status, message: `${name} ${what}`, ...next };
    }
    case 'not_configured':
    case 'unhealthy':
      return {
        ...common,
        status: isDefault ? 'fail' : 'warn',
        message: `${name}: ${message ?? 'unhealthy'}`,
        next: `Test it: svc agents test ${type}`,
      };
  }
}
