import { useQuery } from '@tanstack/react-query';
import type { AgentDetail } from '../../../contract/agents.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { Facts } from '../../components/facts.tsx';
import { WithCode } from '../../components/with-code.tsx';
import { Ago, formatDuration } from '../../components/time.tsx';
import { queueQuery } from '../../queries/queue.ts';
import { slotsOf } from './agent-load.ts';
import { formatNumber } from '../../components/format-number.ts';

/** What `svc agents show` prints of an agent, in the same order. */
export function AgentFacts({ agent }: { agent: AgentDetail }) {
  const { data: queue } = useQuery(queueQuery);
  const { type, isDefault, driver, program, args = [], version, model, stats } = agent;
  const { maxTokens, maxSteps, envNames = [], capabilities, needs, lastActivity } = agent;
  const limits = [
    maxTokens !== undefined && `${formatNumber(maxTokens)} tokens per task`,
    maxSteps !== undefined && `${maxSteps} steps per task`,
  ];
  const isUsed = stats.completed + stats.failed > 0;
  return (
    <Facts
      facts={[
        ['Agent', `${type}${isDefault ? ' (default)' : ''}`],
        ['Driver', driver ?? 'built in'],
        ['Program', program && <code>{visibleLine(program)}</code>],
        [
          'Arguments',
          args.length > 0 && <code>{args.map((each) => visibleLine(JSON.stringify(each))).join(' ')}</code>,
        ],
        ['Version', visibleLine([version, supported(agent)].filter(Boolean).join(' · '))],
        ['Login', <WithCode key="login" text={loginText(agent) ?? ''} />],
        ['Model', visibleLine(model ?? (driver === undefined ? '' : 'its own choice'))],
        ['Limits', limits.filter(Boolean).join(', ')],
        ['Variables', envNames.map(visibleLine).join(', ')],
        ['Labels', capabilities.map(visibleLine).join(', ')],
        ['Used by', needs?.includes('command') && 'administrators, and tokens with agents:command'],
        ['Queue', slotsOf(queue, type)],
        [
          'Tasks',
          isUsed &&
            `${stats.completed} completed, ${stats.failed} failed, ${formatDuration(stats.avgDuration)} on average`,
        ],
        ['Last used', lastActivity && <Ago at={lastActivity} />],
      ]}
    />
  );
}

function supported({ versions }: AgentDetail): string {
  if (!versions) return '';
  const { min, tested, allowed } = versions;
  return `${min} or newer, tested with ${tested}${allowed === undefined ? '' : `, ${allowed} allowed`}`;
}

function loginText({ login, loginWith, state }: AgentDetail): string | undefined {
  if (state === 'not_installed') return loginWith;
  if (login === 'found') return 'found';
  if (loginWith === undefined) return undefined;
  return login === 'not_found' ? `not found; ${loginWith}` : loginWith;
}
