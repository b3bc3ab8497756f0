import styles from './line-counts.module.css';
import { formatNumber } from './format-number.ts';

/** Added and removed lines, as signs with words for screen readers. */
export function LineCounts({ additions, deletions }: { additions: number; deletions: number }) {
  return (
    <span className={styles['counts']}>
      {additions > 0 && (
        <span className={styles['added']}>
          <span aria-hidden>+{formatNumber(additions)}</span>
          <span className="visually-hidden">{additions} lines added</span>
        </span>
      )}
      {deletions > 0 && (
        <span className={styles['removed']}>
          <span aria-hidden>−{formatNumber(deletions)}</span>
          <span className="visually-hidden">{deletions} lines removed</span>
        </span>
      )}
    </span>
  );
}
