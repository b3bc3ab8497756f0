import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { escapeLine } from '../../../../contract/escape-text.ts';
import { client } from '../../../client.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { Empty } from '../../../components/empty.tsx';
import { Item, Items } from '../../../components/items.tsx';
import { StateBadge } from '../../../components/state-badge.tsx';
import { useAway } from '../../../live/use-away.ts';
import { orphansQuery } from '../../../queries/data.ts';
import { queryClient } from '../../../queries/query-client.ts';
import { Read } from '../read.tsx';
import styles from '../settings.module.css';

/** Worktrees that belong to no task any more; those in which nothing would be lost can be removed. */
export function Orphans() {
  const isAway = useAway();
  const orphans = useQuery(orphansQuery);
  const [isAsked, setAsked] = useState(false);
  const remove = async () => {
    await client.data.removeWorktreeOrphans();
    await queryClient.invalidateQueries({ queryKey: ['data'] });
  };
  return (
    <Read query={orphans} rows={1}>
      {(list) =>
        list.length === 0 ? (
          <Empty>There are none. Worktrees that lost their task appear here.</Empty>
        ) : (
          <>
            <Items label="Leftover worktrees">
              {list.map(({ kind, taskId, path, isClean }) => (
                <Item
                  key={`${kind} ${path}`}
                  title={<code>{escapeLine(path)}</code>}
                  badge={
                    <StateBadge tone={isClean ? 'calm' : 'needs-you'}>
                      {isClean ? 'nothing would be lost' : 'has work that is nowhere else'}
                    </StateBadge>
                  }
                  note={escapeLine(
                    kind === 'directory'
                      ? `No task has it: ${taskId}`
                      : `Its directory is gone: task ${taskId}`,
                  )}
                />
              ))}
            </Items>
            {list.some(({ isClean }) => isClean) && (
              <div className={styles['line']}>
                <button type="button" className="button" disabled={isAway} onClick={() => setAsked(true)}>
                  Remove where nothing would be lost
                </button>
              </div>
            )}
            {isAsked && (
              <ConfirmDialog
                title="Remove leftover worktrees?"
                verb="Remove"
                run={remove}
                onClose={() => setAsked(false)}
              >
                <p>Those with work that is nowhere else are kept.</p>
              </ConfirmDialog>
            )}
          </>
        )
      }
    </Read>
  );
}
