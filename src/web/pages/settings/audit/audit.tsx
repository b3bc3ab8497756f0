import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Empty } from '../../../components/empty.tsx';
import { Items } from '../../../components/items.tsx';
import { AUDIT_PAGE, auditQuery } from '../../../queries/audit.ts';
import { Read } from '../read.tsx';
import { SettingsGroup } from '../settings-group.tsx';
import { AuditFilter } from './audit-filter.tsx';
import { AuditItem } from './audit-item.tsx';
import { Paging } from './paging.tsx';
import { VerifyLog } from './verify-log.tsx';

const route = getRouteApi('/settings/audit');

/** What happened that concerns security, and every call of a tool. */
export function AuditSection() {
  const search = route.useSearch();
  const page = useQuery(auditQuery(search));
  const isFiltered = [search.tool, search.user, search.from, search.to].some((part) => part !== undefined);
  return (
    <>
      <SettingsGroup
        title="Integrity"
        hint="Each entry contains the hash of the one before it, so a changed or missing entry is found."
      >
        <VerifyLog />
      </SettingsGroup>
      <SettingsGroup title="Audit log">
        <AuditFilter
          key={JSON.stringify([search.tool, search.user, search.from, search.to])}
          search={search}
        />
        <Read query={page} rows={8}>
          {({ entries, total }) =>
            entries.length === 0 ? (
              <Empty>
                {isFiltered
                  ? 'No entry matches.'
                  : 'Sign-ins, changes of settings and calls of tools appear here.'}
              </Empty>
            ) : (
              <>
                <Items label="Audit log">
                  {entries.map((entry) => (
                    <AuditItem key={entry.id} entry={entry} search={search} />
                  ))}
                </Items>
                <Paging search={search} size={AUDIT_PAGE} shown={entries.length} total={total} />
              </>
            )
          }
        </Read>
      </SettingsGroup>
    </>
  );
}
