import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { InboxItem } from '../../../contract/inbox.ts';
import { visibleLine, visibleText } from '../../../contract/visible-text.ts';
import { client } from '../../client.ts';
import { ActButton } from '../../components/act-button.tsx';
import { Icon } from '../../components/icon.tsx';
import type { IconName } from '../../components/icon-paths.ts';
import { Ago } from '../../components/time.tsx';
import { inboxQuery } from '../../queries/inbox.ts';
import { queryClient } from '../../queries/query-client.ts';
import styles from './inbox.module.css';
import { formatNumber } from '../../components/format-number.ts';

type Item<K extends InboxItem['kind']> = Extract<InboxItem, { kind: K }>;

const refresh = () => queryClient.invalidateQueries({ queryKey: inboxQuery.queryKey });

/** Nothing starts until the queue is resumed. */
const PausedQueue = ({ item: { message } }: { item: Item<'queue'> }) => (
  <Card id="queue" icon="pause" title="The queue is paused" text={message.replace(/^.*?\. /, '')}>
    <ActButton run={() => client.queue.resume().then(refresh)}>Resume the queue</ActButton>
  </Card>
);

/** An agent whose login was refused, with what logs it in. */
const AgentLogin = ({ item: { agent } }: { item: Item<'agent'> }) => (
  <Card
    id={`agent-${agent.type}`}
    icon="key-round"
    title={`${visibleLine(agent.name)} needs a login`}
    text={`${visibleText(agent.hint)}. Its tasks wait, and run by themselves after the login.`}
  >
    <Link to="/agents/$type" params={{ type: agent.type }} className="button">
      Test the agent
    </Link>
  </Card>
);

/** A provider whose key a person has to replace. */
const ProviderKey = ({ item: { provider } }: { item: Item<'provider'> }) => (
  <Card
    id={`provider-${provider.type}`}
    icon="key-round"
    title={`${visibleLine(provider.name)} cannot be used`}
    text={`${visibleText(provider.message).replace(/\.$/, '')}.`}
  >
    <Link to="/settings/models" className="button">
      Replace the key
    </Link>
  </Card>
);

/** A webhook that was paused because its receiver did not answer. */
function FailingWebhook({ item: { webhook } }: { item: Item<'webhook'> }) {
  const { id, url, description, failureCount, failingSince } = webhook;
  return (
    <Card
      id={id}
      icon="webhook"
      title={`Webhook paused: ${visibleLine(description ?? url)}`}
      text={
        <>
          {description !== undefined && (
            <>
              <code>{visibleLine(url)}</code>
              <br />
            </>
          )}
          {failureCount === 1 ? '1 delivery' : `${formatNumber(failureCount)} deliveries`} failed
          {failingSince && (
            <>
              , the first <Ago at={failingSince} />
            </>
          )}
          . Resume it once its receiver answers: what waits is then sent.
        </>
      }
    >
      <ActButton
        run={() => client.webhooks.update({ params: { id }, body: { active: true } }).then(refresh)}
        label={`Resume the webhook ${visibleLine(description ?? url)}`}
      >
        Resume
      </ActButton>
    </Card>
  );
}

function Card({
  id,
  icon,
  title,
  text,
  children,
}: {
  id: string;
  icon: IconName;
  title: string;
  text: ReactNode;
  children: ReactNode;
}) {
  return (
    <article className={`card ${styles['note']}`} aria-labelledby={`item-${id}`}>
      <h3 id={`item-${id}`} className={styles['head']}>
        <Icon name={icon} size={18} />
        {title}
      </h3>
      <p>{text}</p>
      <footer>{children}</footer>
    </article>
  );
}

/** What keeps work from going on, with what mends it. */
export function ProblemCard({ item }: { item: InboxItem }) {
  switch (item.kind) {
    case 'queue':
      return <PausedQueue item={item} />;
    case 'agent':
      return <AgentLogin item={item} />;
    case 'provider':
      return <ProviderKey item={item} />;
    case 'webhook':
      return <FailingWebhook item={item} />;
    case 'approval':
    case 'dead_letter':
    case 'notification':
      // They have cards of their own.
      return null;
    default:
      // A newer daemon may send more.
      return null;
  }
}
