import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { MemoryStats } from '../../../contract/memory.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { client } from '../../client.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Icon } from '../../components/icon.tsx';
import { Item, Items } from '../../components/items.tsx';
import { Problem } from '../../components/problem.tsx';
import { useAway } from '../../live/use-away.ts';
import { refreshMemory } from '../../queries/memory.ts';
import styles from './memory.module.css';
import { SyncOutcome } from './sync-outcome.tsx';

/** The folders that are indexed: each can be synced; administrators also remove them. */
export function Folders({ stats: { roots, syncing }, isAdmin }: { stats: MemoryStats; isAdmin: boolean }) {
  const isAway = useAway();
  const [leaving, setLeaving] = useState<string>();
  const sync = useMutation({
    mutationFn: (basePath: string | undefined) =>
      client.memory.sync({ body: basePath === undefined ? {} : { basePath } }),
    onSettled: refreshMemory,
  });
  const isBusy = isAway || sync.isPending || syncing !== undefined;
  const remove = async (path: string) => {
    await client.config.update({
      params: { key: 'memory.roots' },
      body: { value: roots.filter((each) => each !== path) },
    });
    await refreshMemory();
  };
  return (
    <section className={styles['part']} aria-labelledby="memory-folders">
      <div className={styles['head']}>
        <h2 id="memory-folders">Folders</h2>
        <button type="button" className="button" disabled={isBusy} onClick={() => sync.mutate(undefined)}>
          <Icon name="rotate-cw" /> Sync all
        </button>
      </div>
      <Items label="Folders">
        {roots.map((path) => (
          <Item
            key={path}
            title={<code>{visibleLine(path)}</code>}
            actions={
              <>
                <button
                  type="button"
                  className="button"
                  aria-label={`Sync ${visibleLine(path)}`}
                  disabled={isBusy}
                  onClick={() => sync.mutate(path)}
                >
                  Sync
                </button>
                {isAdmin && (
                  <button
                    type="button"
                    className="button danger"
                    aria-label={`Remove ${visibleLine(path)}`}
                    disabled={isAway}
                    onClick={() => setLeaving(path)}
                  >
                    Remove
                  </button>
                )}
              </>
            }
          />
        ))}
      </Items>
      {sync.error && <Problem error={sync.error} />}
      {sync.data && <SyncOutcome result={sync.data} />}
      {leaving !== undefined && (
        <ConfirmDialog
          title="Remove this folder from the index?"
          verb="Remove"
          run={() => remove(leaving)}
          onClose={() => setLeaving(undefined)}
        >
          <p>
            <code>{visibleLine(leaving)}</code> is no longer searched. Your files are not changed.
          </p>
        </ConfirmDialog>
      )}
    </section>
  );
}
