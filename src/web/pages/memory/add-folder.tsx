import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { SyncResult } from '../../../contract/memory.ts';
import { client } from '../../client.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Field } from '../../components/form/field.tsx';
import { Form } from '../../components/form/form.tsx';
import { formText } from '../../components/form-text.ts';
import { memoryStatsQuery, refreshMemory } from '../../queries/memory.ts';
import { SyncOutcome } from './sync-outcome.tsx';
import { SyncState } from './sync-state.tsx';

/** Indexes a folder from now on. For administrators. */
export function AddFolderDialog({ onClose }: { onClose: () => void }) {
  const { data: stats } = useQuery(memoryStatsQuery);
  const [result, setResult] = useState<SyncResult>();
  const add = async (data: FormData) => {
    const basePath = formText(data, 'basePath').trim();
    if (!basePath.startsWith('/'))
      return new Map([['basePath', 'Expected an absolute path, such as /home/you/notes.']]);
    setResult(await client.memory.sync({ body: { basePath } }).finally(() => void refreshMemory()));
    return undefined;
  };
  return (
    <Dialog title="Add a folder" onClose={onClose}>
      {stats?.syncing && <SyncState progress={stats.syncing} />}
      {result ? (
        <>
          <SyncOutcome result={result} />
          <div>
            <button type="button" className="button primary" onClick={onClose}>
              Done
            </button>
          </div>
        </>
      ) : (
        <Form submit="Add and index" onSubmit={add} onCancel={onClose}>
          <p>
            Everybody who can sign in can search what is in it. Files of secrets, binary files and what{' '}
            <code>.gitignore</code> names are left out, but a secret in a file with an ordinary name is not
            recognized.
          </p>
          <Field
            name="basePath"
            label="Folder"
            hint="On the machine of the daemon. It goes on if you close this."
          >
            {(control) => (
              <input
                {...control}
                placeholder="/home/you/notes"
                spellCheck={false}
                autoCapitalize="off"
                autoFocus
              />
            )}
          </Field>
        </Form>
      )}
    </Dialog>
  );
}
