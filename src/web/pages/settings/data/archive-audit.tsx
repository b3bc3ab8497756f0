import { useState } from 'react';
import type { AuditArchive } from '../../../../contract/data.ts';
import { escapeLine } from '../../../../contract/escape-text.ts';
import { formatSize } from '../../../../contract/format-size.ts';
import { client } from '../../../client.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { Item, Items } from '../../../components/items.tsx';
import { Ago } from '../../../components/time.tsx';
import { useAway } from '../../../live/use-away.ts';
import { queryClient } from '../../../queries/query-client.ts';
import styles from '../settings.module.css';
import { formatNumber } from '../../../components/format-number.ts';

/** Moves old audit entries to a file, and lists the files. */
export function ArchiveAudit({ archives }: { archives: readonly AuditArchive[] }) {
  const isAway = useAway();
  const [isAsked, setAsked] = useState(false);
  const [said, setSaid] = useState('');
  const archive = async () => {
    const answer = await client.data.archive({ body: {} });
    setSaid(
      answer.archive
        ? `${formatNumber(answer.archive.entries)} entries archived. Keep the file: it is the only copy.`
        : 'No audit entry is that old.',
    );
    await queryClient.invalidateQueries({ queryKey: ['data'] });
  };
  return (
    <>
      <div className={styles['line']}>
        <button type="button" className="button" disabled={isAway} onClick={() => setAsked(true)}>
          Archive old entries
        </button>
        <span role="status" className="muted">
          {said}
        </span>
      </div>
      {archives.length > 0 && (
        <Items label="Archives of the audit log">
          {archives.map(({ file, entries, bytes, createdAt }) => (
            <Item
              key={file}
              title={<code>{escapeLine(file)}</code>}
              note={
                <>
                  {formatNumber(entries)} entries · {formatSize(bytes)} · <Ago at={createdAt} />
                </>
              }
            />
          ))}
        </Items>
      )}
      {isAsked && (
        <ConfirmDialog
          title="Archive old audit entries?"
          verb="Archive"
          run={archive}
          onClose={() => setAsked(false)}
        >
          <p>
            Entries older than 90 days move from the database to a file on the machine of the daemon. The log
            no longer lists them; verifying it reads the file.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
