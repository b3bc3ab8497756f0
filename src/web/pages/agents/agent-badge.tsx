import type { Agent, AgentState } from '../../../contract/agents.ts';
import { agentStateWords, stateOf } from '../../../contract/agent-state-words.ts';
import type { IconName } from '../../components/icon-paths.ts';
import { StateBadge, type Tone } from '../../components/state-badge.tsx';

const looks: Record<AgentState, { icon: IconName; tone: Tone }> = {
  ready: { icon: 'circle-check', tone: 'good' },
  needs_login: { icon: 'key-round', tone: 'needs-you' },
  too_old: { icon: 'triangle-alert', tone: 'needs-you' },
  not_configured: { icon: 'circle-dashed', tone: 'calm' },
  unhealthy: { icon: 'circle-x', tone: 'bad' },
  not_installed: { icon: 'circle-dashed', tone: 'calm' },
};

/** Whether an agent can take tasks, and if not, why. */
export function AgentBadge({ agent }: { agent: Agent }) {
  const state = stateOf(agent);
  if (state === 'ready' && agent.closedUntil)
    return (
      <StateBadge icon="clock" tone="needs-you">
        closed: usage limit
      </StateBadge>
    );
  const { icon, tone } = looks[state] ?? looks.not_configured;
  return (
    <StateBadge icon={icon} tone={tone}>
      {agentStateWords[state] ?? state}
    </StateBadge>
  );
}
