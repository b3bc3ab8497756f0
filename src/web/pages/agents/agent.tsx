import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Suspense } from 'react';
import type { AgentDetail } from '../../../contract/agents.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { ActButton } from '../../components/act-button.tsx';
import { BackLink } from '../../components/back-link.tsx';
import { Icon } from '../../components/icon.tsx';
import { lazyPart } from '../../components/lazy-part.ts';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { Problem } from '../../components/problem.tsx';
import { useRemoved } from '../../components/removal.ts';
import { useAway } from '../../live/use-away.ts';
import { agentQuery } from '../../queries/agents.ts';
import { queryClient } from '../../queries/query-client.ts';
import { useIsAdmin } from '../../queries/use-is-admin.ts';
import { addedAgentsKey } from './added-agents.ts';
import { AgentBadge } from './agent-badge.tsx';
import { EditAgentDialog } from './agent-dialog.tsx';
import { AgentFacts } from './agent-facts.tsx';
import { AgentTest } from './agent-test.tsx';
import styles from './agents.module.css';
import { NextStep } from './next-step.tsx';
import { removalOf, removeAgent } from './remove-agent.ts';
import { SandboxPart } from './sandbox-part.tsx';

const SettingItems = lazyPart(() => import('../settings/configuration/setting-items.tsx'), 'SettingItems');
const route = getRouteApi('/agents/$type');

/** One agent: its state, what to do next, and whether it works. */
export function AgentPage() {
  const { type } = route.useParams();
  const { data: agent, error, refetch } = useQuery(agentQuery(type));
  const isRemoved = useRemoved().has(removalOf(type));
  if (agent && !isRemoved) return <Shown agent={agent} />;
  return (
    <Page title={visibleLine(type)} back={back} isNarrow>
      {error && !isRemoved && <Problem error={error} onRetry={() => void refetch()} />}
      {!agent && !error && <Loading rows={6} />}
      {isRemoved && <p className="muted">This agent was removed.</p>}
    </Page>
  );
}

const back = <BackLink to="/agents">Agents</BackLink>;

function Shown({ agent }: { agent: AgentDetail }) {
  const { edit } = route.useSearch();
  const { type, name, driver, settings } = agent;
  const navigate = useNavigate();
  const isAdmin = useIsAdmin();
  const isAway = useAway();
  const isAdded = settings.includes(addedAgentsKey);
  const leave = () => void navigate({ to: '/agents/$type', params: { type }, search: {} });
  return (
    <Page
      title={visibleLine(name)}
      back={back}
      note={<AgentBadge agent={agent} />}
      actions={
        <>
          <ActButton run={() => queryClient.invalidateQueries({ queryKey: agentQuery(type).queryKey })}>
            <Icon name="rotate-cw" /> Check again
          </ActButton>
          {isAdmin && isAdded && (
            <>
              <Link to="/agents/$type" params={{ type }} search={{ edit: true }} className="button">
                Change
              </Link>
              <button
                type="button"
                className="button danger"
                disabled={isAway}
                onClick={() => {
                  removeAgent(agent);
                  void navigate({ to: '/agents' });
                }}
              >
                Remove
              </button>
            </>
          )}
        </>
      }
      isNarrow
    >
      {(agent.closedUntil ?? agent.hint ?? agent.message) !== undefined && (
        <div className={styles['step']}>
          <NextStep agent={agent} />
        </div>
      )}
      <div className={styles['part']}>
        <AgentFacts agent={agent} />
      </div>
      {isAdmin && <AgentTest agent={agent} />}
      {isAdmin && driver !== undefined && (
        <section className={styles['part']}>
          <SandboxPart agent={type} title="Sandbox" />
        </section>
      )}
      {isAdmin && !isAdded && settings.length > 0 && (
        <section className={styles['part']} aria-labelledby="agent-settings">
          <h2 id="agent-settings">Settings</h2>
          <Suspense fallback={<Loading rows={settings.length} />}>
            <SettingItems label={`Settings of ${visibleLine(name)}`} keys={settings} />
          </Suspense>
        </section>
      )}
      {!isAdmin && (
        <p className={`muted ${styles['part']}`}>Only administrators can test and change agents.</p>
      )}
      {edit && isAdmin && isAdded && <EditAgentDialog type={type} onClose={leave} />}
    </Page>
  );
}
