import type { Agent, AgentState } from './agents.ts';

/** The states of agents, as people read them. */
export const agentStateWords: Record<AgentState, string> = {
  ready: 'ready',
  needs_login: 'needs a login',
  too_old: 'too old',
  not_configured: 'not configured',
  unhealthy: 'unhealthy',
  not_installed: 'not installed',
};

/** The state of an agent; a daemon of an earlier version leaves it to be derived. */
export const stateOf = ({
  state,
  configured,
  healthy,
}: Pick<Agent, 'state' | 'configured' | 'healthy'>): AgentState =>
  state ?? (!configured ? 'not_configured' : healthy ? 'ready' : 'unhealthy');
