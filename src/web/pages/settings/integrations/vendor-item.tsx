import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { escapeLine } from '../../../../contract/escape-text.ts';
import { productNames, type Vendor, wireName } from '../../../../contract/vendors.ts';
import { client } from '../../../client.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { Item } from '../../../components/items.tsx';
import { StateBadge } from '../../../components/state-badge.tsx';
import { Ago } from '../../../components/time.tsx';
import { useAway } from '../../../live/use-away.ts';
import { configQuery } from '../../../queries/config.ts';
import { type Connection, connectionQuery, hooksQuery } from '../../../queries/integrations.ts';
import { queryClient } from '../../../queries/query-client.ts';
import { Read } from '../read.tsx';

const disconnect: Record<Vendor, () => Promise<unknown>> = {
  github: () => client.integrations.disconnectGithub(),
  jira: () => client.integrations.disconnectJira(),
  linear: () => client.integrations.disconnectLinear(),
};

/** A product: whether one's account is connected, what svc may do there, and what arrives from it. */
export function VendorItem({ vendor, isAdmin }: { vendor: Vendor; isAdmin: boolean }) {
  const name = productNames[vendor];
  const connection = useQuery(connectionQuery(vendor));
  const { data: settings } = useQuery({ ...configQuery, enabled: isAdmin });
  const isAppMissing =
    settings !== undefined &&
    ['clientId', 'clientSecret'].some((part) => !settings[`integrations.${vendor}.${part}`]?.value);
  const [isAsked, setAsked] = useState(false);
  const isAway = useAway();
  const isConnected = connection.data?.isConnected;
  // The browser leaves for the product and comes back to this section.
  const connect = `/api/auth/${wireName(vendor)}?returnTo=/settings/integrations`;
  return (
    <Item
      title={name}
      badge={
        isConnected !== undefined && (
          <StateBadge tone={isConnected ? 'good' : 'calm'}>
            {isConnected ? 'connected' : 'not connected'}
          </StateBadge>
        )
      }
      note={
        <>
          <Read query={connection} rows={1}>
            {(known) => <ConnectionNote connection={known} />}
          </Read>
          <HookNote vendor={vendor} />
          {isAppMissing && <p>Set its OAuth app below before you connect.</p>}
        </>
      }
      actions={
        <>
          {!isAppMissing && isConnected !== undefined && !isAway && (
            <a
              className="button"
              href={connect}
              aria-label={`${isConnected ? 'Reconnect' : 'Connect'} ${name}`}
            >
              {isConnected ? 'Reconnect' : 'Connect'}
            </a>
          )}
          {isConnected && (
            <button
              type="button"
              className="button"
              aria-label={`Disconnect ${name}`}
              disabled={isAway}
              onClick={() => setAsked(true)}
            >
              Disconnect
            </button>
          )}
        </>
      }
    >
      {isAsked && (
        <ConfirmDialog
          title={`Disconnect ${name}?`}
          verb="Disconnect"
          run={async () => {
            await disconnect[vendor]();
            await queryClient.invalidateQueries({ queryKey: ['integrations'] });
          }}
          onClose={() => setAsked(false)}
        >
          <p>The access is revoked and its tokens are deleted. Your tasks can no longer write there.</p>
        </ConfirmDialog>
      )}
    </Item>
  );
}

function ConnectionNote({ connection }: { connection: Connection }) {
  const { isConnected, account, scopes = [], teams = [], expiresAt } = connection;
  if (!isConnected) return null;
  const facts = [
    account && `Connected as ${account}`,
    scopes.length > 0 && `may use ${scopes.join(', ')}`,
    teams.length > 0 && `teams ${teams.join(', ')}`,
  ].filter(Boolean);
  return (
    <>
      {escapeLine(facts.join(' · '))}
      {expiresAt && (
        <>
          {' · its token is renewed '}
          <Ago at={expiresAt} />
        </>
      )}
    </>
  );
}

/** What arrives from the product; nothing where only others may know. */
function HookNote({ vendor }: { vendor: Vendor }) {
  const { data } = useQuery(hooksQuery);
  const status = data?.[wireName(vendor)];
  if (!status) return null;
  return (
    <p>
      Webhooks: {status.configured ? 'a secret is set' : 'no secret is set'}
      {status.lastEvent !== undefined && (
        <>
          {' · last event '}
          <Ago at={status.lastEvent} />
        </>
      )}
    </p>
  );
}
