import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { stateOf } from '../../../contract/agent-state-words.ts';
import { ActButton } from '../../components/act-button.tsx';
import { Icon } from '../../components/icon.tsx';
import { Items } from '../../components/items.tsx';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { Problem } from '../../components/problem.tsx';
import { useRemoved } from '../../components/removal.ts';
import { agentsQuery } from '../../queries/agents.ts';
import { queryClient } from '../../queries/query-client.ts';
import { useIsAdmin } from '../../queries/use-is-admin.ts';
import { AddAgentDialog } from './agent-dialog.tsx';
import { AgentItem } from './agent-item.tsx';
import styles from './agents.module.css';
import { removalOf } from './remove-agent.ts';
import { SandboxPart } from './sandbox-part.tsx';

const route = getRouteApi('/agents');

/** What can work on tasks, and what each of them lacks. */
export function AgentsPage() {
  const { add } = route.useSearch();
  const navigate = useNavigate();
  const isAdmin = useIsAdmin();
  const removed = useRemoved();
  const { data, error, isPending, refetch } = useQuery(agentsQuery);
  // Those that are not installed come last; the others stay in their order.
  const agents = (data ?? [])
    .filter(({ type }) => !removed.has(removalOf(type)))
    .toSorted((one, other) => Number(isAbsent(one)) - Number(isAbsent(other)));
  return (
    <Page
      title="Agents"
      actions={
        <>
          <ActButton run={checkAgain}>
            <Icon name="rotate-cw" /> Check again
          </ActButton>
          {isAdmin && (
            <Link to="/agents" search={{ add: true }} className="button primary">
              <Icon name="plus" /> Add an agent
            </Link>
          )}
        </>
      }
      isNarrow
    >
      {error && !data && <Problem error={error} onRetry={() => void refetch()} />}
      {isPending && <Loading rows={6} />}
      {agents.length > 0 && (
        <Items label="Agents">
          {agents.map((agent) => (
            <AgentItem key={agent.type} agent={agent} />
          ))}
        </Items>
      )}
      {isAdmin ? (
        <div className={styles['part']}>
          <SandboxPart title="Sandbox for tool commands" />
        </div>
      ) : (
        <p className={`muted ${styles['part']}`}>
          Only administrators can add, change and test agents. An agent that runs programs takes no tasks from
          others.
        </p>
      )}
      {add && isAdmin && <AddAgentDialog onClose={() => void navigate({ to: '/agents', search: {} })} />}
    </Page>
  );
}

const isAbsent = (agent: Parameters<typeof stateOf>[0]) => stateOf(agent) === 'not_installed';
const checkAgain = () => queryClient.invalidateQueries({ queryKey: agentsQuery.queryKey });
