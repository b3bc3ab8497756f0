import type { SyncResult } from '../../../contract/memory.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { counted } from '../../components/counted.ts';
import { formatNumber } from '../../components/format-number.ts';

/** What a sync came to, as `svc memory sync` prints it. */
export function SyncOutcome({ result }: { result: SyncResult }) {
  const { synced, added, updated, removed, skipped, reasons, cancelled, embeddingFailure } = result;
  const why = Object.entries(reasons)
    .toSorted(([, one], [, other]) => other - one)
    .map(([reason, count]) => `${formatNumber(count)} ${visibleLine(reason)}`)
    .join(', ');
  return (
    <div role="status">
      <p>
        {synced === 0 && !cancelled
          ? 'No indexable files found.'
          : `Indexed ${counted(synced, 'file')}: ${added} added, ${updated} updated, ${removed} removed.`}
        {cancelled && ' Stopped; files indexed so far are kept.'}
      </p>
      {skipped > 0 && (
        <p className="muted">
          Skipped {counted(skipped, 'file')}: {why}.
        </p>
      )}
      {embeddingFailure && (
        <p>
          Search by meaning does not cover all files yet: {visibleLine(embeddingFailure)}. It is retried
          automatically.
        </p>
      )}
    </div>
  );
}
