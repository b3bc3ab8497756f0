import type { Agent, AgentState } from '../../../contract/agents.ts';
import { formatZonedFully } from '../schedules/zoned-time.ts';
import { agentStateWords, stateOf } from '../../../contract/agent-state-words.ts';
import type { Paint } from '../../output/output.ts';

const styles: Record<AgentState, Parameters<Paint>[0]> = {
  ready: 'green',
  needs_login: 'yellow',
  too_old: 'yellow',
  not_configured: 'dim',
  unhealthy: 'red',
  not_installed: 'dim',
};

type Stated = Pick<Agent, 'state' | 'configured' | 'healthy'>;

/** The state, as people read it. */
export const stateWord = (agent: Stated): string => agentStateWords[stateOf(agent)];

export const stateStyle = (agent: Stated): Parameters<Paint>[0] => styles[stateOf(agent)];

/** What to do next, or what to know about an agent that works. */
export const nextStep = (
  { hint, message, closedUntil }: Pick<Agent, 'hint' | 'message' | 'closedUntil'>,
  timeZone?: string,
): string | undefined => hint ?? (closedUntil && closedText(closedUntil, timeZone)) ?? message;

/** Until when an agent takes no task. */
export const closedText = (
  until: string,
  timeZone = new Intl.DateTimeFormat().resolvedOptions().timeZone,
): string => `Its usage limit is reached. It takes tasks again at ${formatZonedFully(until, timeZone)}`;
