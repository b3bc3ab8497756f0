import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { WebhooksStatus } from '../../../contract/integrations.ts';
import { trimSlashes } from '../../../contract/trim-slashes.ts';
import { productNames, type Vendor, vendors, wireName } from '../../../contract/vendors.ts';
import { counted } from '../../components/counted.ts';
import { Item, Items } from '../../components/items.tsx';
import { Ago } from '../../components/time.tsx';
import { client } from '../../client.ts';
import styles from '../webhooks/webhooks.module.css';
import { ConnectSource } from './connect-source.tsx';

/** Which of the three send webhooks, and how to make them. */
export function ConnectSources({ status, isOpen }: { status: WebhooksStatus; isOpen: boolean }) {
  const [shown, setShown] = useState<Vendor | null>();
  const config = useQuery({ queryKey: ['config'], queryFn: () => client.config.list() });
  const configured = config.data?.settings.find(({ key }) => key === 'server.baseUrl')?.value;
  const base = typeof configured === 'string' ? trimSlashes(configured) : location.origin;
  const open = shown === undefined && isOpen ? 'github' : shown;
  return (
    <div className={styles['sources']}>
      <Items label="Sources">
        {vendors.map((vendor) => {
          const { configured: hasSecret, lastEvent, eventCount = 0 } = status[wireName(vendor)];
          return (
            <Item
              key={vendor}
              title={productNames[vendor]}
              note={
                lastEvent ? (
                  <>
                    {counted(eventCount, 'webhook')}, the last <Ago at={lastEvent} />
                  </>
                ) : hasSecret ? (
                  'A secret is set. Nothing has arrived yet.'
                ) : (
                  'Not connected: without a secret, webhooks are refused.'
                )
              }
              actions={
                <button
                  type="button"
                  className="button"
                  aria-expanded={open === vendor}
                  aria-label={`${hasSecret ? 'Set up' : 'Connect'} ${productNames[vendor]}`}
                  onClick={() => setShown(open === vendor ? null : vendor)}
                >
                  {open === vendor ? 'Close' : hasSecret ? 'Set up' : 'Connect'}
                </button>
              }
            >
              {open === vendor && (
                <ConnectSource
                  vendor={vendor}
                  hasSecret={hasSecret}
                  address={`${base}/api/webhooks/${wireName(vendor)}`}
                />
              )}
            </Item>
          );
        })}
      </Items>
    </div>
  );
}
