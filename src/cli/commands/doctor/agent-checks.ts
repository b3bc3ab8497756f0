import type { Agent } from '../../../contract/agents.ts';
import type { Check } from './check.ts';

/** Whether each agent can take tasks, or why not. */
export const agentChecks = (agents: readonly Agent[]): Check[] => agents.map(checkAgent);

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
