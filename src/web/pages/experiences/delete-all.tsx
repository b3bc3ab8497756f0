import { useState } from 'react';
import { client } from '../../client.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { counted } from '../../components/counted.ts';
import { Menu } from '../../components/menu.tsx';
import { refreshExperiences } from '../../queries/experiences.ts';
import { removeAll } from './remove-experiences.ts';

/** Deletes many at once: those that hardly weigh anything, or all. */
export function DeleteMany({ total, isAdmin }: { total: number; isAdmin: boolean }) {
  const [what, setWhat] = useState<'light' | 'all'>();
  const [done, setDone] = useState(0);
  const [count, setCount] = useState(0);
  const close = () => setWhat(undefined);
  const whose = isAdmin ? ', also those of other users' : '';
  return (
    <>
      <Menu
        items={[
          { icon: 'trash-2', name: 'Delete the unused', run: () => setWhat('light') },
          {
            icon: 'trash-2',
            name: 'Delete all',
            isDangerous: true,
            run: () => {
              setDone(0);
              setCount(total);
              setWhat('all');
            },
          },
        ]}
      />
      {what === 'light' && (
        <ConfirmDialog
          title="Delete experiences that have hardly any weight?"
          verb="Delete them"
          run={() => client.experiences.prune().finally(() => void refreshExperiences())}
          onClose={close}
        >
          <p>
            Those that weigh less than 0.05 are deleted{whose}. The weight halves after 30 days without use.
          </p>
        </ConfirmDialog>
      )}
      {what === 'all' && (
        <ConfirmDialog
          title="Delete all experiences?"
          verb="Delete all"
          typed="delete all"
          run={() => removeAll(setDone)}
          onClose={close}
        >
          <p>
            This deletes {counted(count, 'experience')}
            {whose}. Chats and agents can no longer use them.
          </p>
          {done > 0 && (
            <p role="status">
              {done} of {Math.max(count, done)} deleted
            </p>
          )}
        </ConfirmDialog>
      )}
    </>
  );
}
