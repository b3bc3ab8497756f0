import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatSize } from '../../../../contract/format-size.ts';
import { CopiedValue } from '../../../components/copied-value.tsx';
import { Problem } from '../../../components/problem.tsx';
import { Ago } from '../../../components/time.tsx';
import { useAway } from '../../../live/use-away.ts';
import { healthQuery } from '../../../queries/data.ts';
import { SettingItems } from '../configuration/setting-items.tsx';
import { Read } from '../read.tsx';
import styles from '../settings.module.css';
import { downloadBackup } from './download-backup.ts';

/** Makes a backup for the person to keep, and says how the daemon makes its own. */
export function Backups() {
  const isAway = useAway();
  const health = useQuery(healthQuery);
  const [bytes, setBytes] = useState(0);
  const make = useMutation({ mutationFn: () => downloadBackup(setBytes), onMutate: () => setBytes(0) });
  return (
    <>
      <div className={styles['line']}>
        <button
          type="button"
          className="button"
          disabled={isAway || make.isPending}
          onClick={() => make.mutate()}
        >
          Download a backup
        </button>
        <span role="status" className="muted">
          {make.isPending
            ? bytes === 0
              ? 'Making the backup…'
              : `Downloading… ${formatSize(bytes)}`
            : make.data && `${make.data.name}, ${formatSize(make.data.bytes)}.`}
        </span>
      </div>
      {make.error && <Problem error={make.error} />}
      <p className="muted">
        It holds your tasks, conversations and settings: keep it private. Its secrets need the identity of the
        daemon, which is not in it. In a terminal, <code>svc backup</code> also checks the file. To restore
        it, stop the daemon and run on its machine:
      </p>
      <CopiedValue name="restore command" value={`svc restore ${make.data?.name ?? 'FILE'}`} />
      <Read query={health} rows={1}>
        {({ components }) => {
          const { every, lastAt, lastBytes } = components.backups.details;
          return (
            <p>
              {every === undefined
                ? 'The daemon makes no backups by itself.'
                : `The daemon makes one every ${every}.`}
              {lastAt !== undefined && (
                <>
                  {' The last one was made '}
                  <Ago at={lastAt} />
                  {lastBytes !== undefined && `, ${formatSize(lastBytes)}`}.
                </>
              )}
            </p>
          );
        }}
      </Read>
      <SettingItems
        label="Scheduled backups"
        keys={['backup.every', 'backup.keep', 'backup.directory', 'backup.identity']}
      />
    </>
  );
}
