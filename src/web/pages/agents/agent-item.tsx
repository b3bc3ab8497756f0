import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Agent } from '../../../contract/agents.ts';
import { stateOf } from '../../../contract/agent-state-words.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { Item } from '../../components/items.tsx';
import { queueQuery } from '../../queries/queue.ts';
import { AgentBadge } from './agent-badge.tsx';
import { ownLoadOf } from './agent-load.ts';
import { NextStep } from './next-step.tsx';

/** One agent in the list: its state, and what to do next. */
export function AgentItem({ agent }: { agent: Agent }) {
  const { data: queue } = useQuery(queueQuery);
  const { type, name, isDefault, version, login, driver } = agent;
  const isThere = stateOf(agent) !== 'not_installed';
  const facts = [
    type !== name && type,
    isDefault && 'the default',
    version && `version ${version}`,
    isThere && login && `login ${login === 'found' ? 'found' : 'not found'}`,
    driver === undefined && agent.description,
    ownLoadOf(queue, type),
  ].filter((fact) => typeof fact === 'string');
  return (
    <Item
      title={
        <Link to="/agents/$type" params={{ type }}>
          {visibleLine(name)}
        </Link>
      }
      badge={<AgentBadge agent={agent} />}
      note={
        <>
          <div>{facts.map(visibleLine).join(' · ')}</div>
          <NextStep agent={agent} />
        </>
      }
    />
  );
}
