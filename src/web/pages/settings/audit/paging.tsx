import { Link } from '@tanstack/react-router';
import type { AuditSearch } from './audit-search.ts';
import styles from './audit.module.css';
import { formatNumber } from '../../../components/format-number.ts';

/** Which part of the log is shown, and the ways to the newer and the older one. */
export function Paging({
  search,
  size,
  shown,
  total,
}: {
  search: AuditSearch;
  size: number;
  shown: number;
  total: number;
}) {
  const { entry: _, after = 0, ...rest } = search;
  const at = (offset: number) => (offset > 0 ? { ...rest, after: offset } : rest);
  return (
    <nav className={styles['paging']} aria-label="Pages of the log">
      {after > 0 && (
        <Link to="/settings/audit" search={at(after - size)} className="button">
          Newer
        </Link>
      )}
      {after + shown < total && (
        <Link to="/settings/audit" search={at(after + size)} className="button">
          Older
        </Link>
      )}
      <span className="muted">
        {formatNumber(after + 1)} to {formatNumber(after + shown)} of {formatNumber(total)}
      </span>
    </nav>
  );
}
