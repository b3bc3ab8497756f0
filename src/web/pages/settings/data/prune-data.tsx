import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { PruneReport } from '../../../../contract/data.ts';
import { formatSize } from '../../../../contract/format-size.ts';
import { client } from '../../../client.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { Problem } from '../../../components/problem.tsx';
import { useAway } from '../../../live/use-away.ts';
import { queryClient } from '../../../queries/query-client.ts';
import styles from '../settings.module.css';
import { formatNumber } from '../../../components/format-number.ts';

/** Removes now what is past its retention: first it says what that is. */
export function PruneData() {
  const isAway = useAway();
  const [isAsked, setAsked] = useState(false);
  const [done, setDone] = useState<PruneReport>();
  const look = useMutation({
    mutationFn: () => client.data.prune({ body: { dryRun: true } }),
    onSuccess: () => setAsked(true),
  });
  const remove = async () => {
    setDone(await client.data.prune({ body: {} }));
    await queryClient.invalidateQueries({ queryKey: ['data'] });
  };
  const found = countsOf(look.data);
  return (
    <>
      <div className={styles['line']}>
        <button
          type="button"
          className="button"
          disabled={isAway || look.isPending}
          onClick={() => look.mutate()}
        >
          Remove old data now
        </button>
        <span role="status" className="muted">
          {look.isPending
            ? 'Counting…'
            : done
              ? `Removed. The database is ${formatSize(done.freedBytes)} smaller.`
              : look.data && found.length === 0 && 'Nothing is past its retention.'}
        </span>
      </div>
      {look.error && <Problem error={look.error} />}
      {isAsked && found.length > 0 && (
        <ConfirmDialog
          title="Remove what is past its retention?"
          verb="Remove"
          run={remove}
          onClose={() => setAsked(false)}
        >
          <p>This removes for good:</p>
          <ul>
            {found.map(({ name, count }) => (
              <li key={name}>
                {name}: {formatNumber(count)}
              </li>
            ))}
          </ul>
        </ConfirmDialog>
      )}
    </>
  );
}

const countsOf = (report: PruneReport | undefined) => report?.removed.filter(({ count }) => count > 0) ?? [];
