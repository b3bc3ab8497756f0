import { getRouteApi, Link } from '@tanstack/react-router';
import { productNames, vendors } from '../../../contract/vendors.ts';
import styles from '../webhooks/webhooks.module.css';
import { inboundLooks } from './inbound-words.ts';

const route = getRouteApi('/webhooks/in');

/** Narrows the log by its source and outcome. */
export function InboundFilters() {
  const { from, status } = route.useSearch();
  const link = (label: string, next: { from?: string; status?: string }, isOn: boolean) => (
    <Link
      key={label}
      to="/webhooks/in"
      search={next}
      className="chip"
      activeOptions={{ exact: true, includeSearch: true }}
      aria-current={isOn ? 'true' : undefined}
    >
      {label}
    </Link>
  );
  return (
    <>
      <div className={styles['tabs']} role="group" aria-label="Source and outcome">
        {link('All', {}, from === undefined && status === undefined)}
        {vendors.map((vendor) =>
          link(productNames[vendor], { from: vendor, ...(status && { status }) }, from === vendor),
        )}
        {Object.entries(inboundLooks).map(([name, { word }]) =>
          link(word, { ...(from && { from }), status: name }, status === name),
        )}
      </div>
    </>
  );
}
