import { searchText } from '../../tasks/tasks-search.ts';

/** The search of the URL of the audit log: what it shows, from which entry on, and which is open. */
export interface AuditSearch {
  tool?: string;
  user?: string;
  from?: string;
  to?: string;
  /** How many newer entries are left out. */
  after?: number;
  entry?: string;
}

/** What a search means; what is not known is left out. */
export function readAuditSearch(search: Record<string, unknown>): AuditSearch {
  const texts = ['tool', 'user', 'from', 'to', 'entry'] as const;
  const found = texts.flatMap((name) => {
    const value = searchText(search[name]);
    return value === undefined ? [] : [[name, value] as const];
  });
  const after = Number(search['after']);
  return { ...Object.fromEntries(found), ...(Number.isSafeInteger(after) && after > 0 && { after }) };
}
