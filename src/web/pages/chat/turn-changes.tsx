import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { visibleLine, visibleText } from '../../../contract/visible-text.ts';
import { client } from '../../client.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Problem } from '../../components/problem.tsx';
import { turnChangesQuery } from '../../queries/conversations.ts';
import { queryClient } from '../../queries/query-client.ts';
import type { Block } from './transcript-blocks.ts';
import styles from './turn-changes.module.css';
import { formatNumber } from '../../components/format-number.ts';

const words = { restored: 'Restored', removed: 'Removed', unchanged: 'Unchanged' };

/** What the last turn changed in files, and the way back. */
export function TurnChanges({ id, blocks }: { id: string; blocks: readonly Block[] }) {
  const calls = blocks.reduce(
    (sum, { entries }) => sum + entries.filter(({ kind }) => kind === 'tool').length,
    0,
  );
  const query = turnChangesQuery(id, calls);
  const { data } = useQuery(query);
  const [isAsking, setAsking] = useState(false);
  const undo = useMutation({
    mutationFn: () => client.conversations.undo({ params: { id }, body: {} }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: query.queryKey }),
  });
  const files = data?.files ?? [];
  const report = undo.data;
  if (files.length === 0 && !report) return null;
  const of = data?.turn?.message;
  return (
    <section className={`card ${styles['changes']}`} aria-label="Changed files">
      {files.length > 0 && (
        <>
          <header>
            <strong>
              {files.length === 1 ? '1 file changed' : `${formatNumber(files.length)} files changed`}
              {of !== undefined && ` by “${visibleLine(of)}”`}
            </strong>
            <span className="muted">
              +{formatNumber(data?.additions ?? 0)} −{formatNumber(data?.deletions ?? 0)}
            </span>
            <button type="button" className="button" onClick={() => setAsking(true)}>
              Undo changes
            </button>
          </header>
          {files.map(({ path, status, patch }) => (
            <details key={path}>
              <summary>
                <code>{visibleLine(path)}</code> <span className="muted">{status}</span>
              </summary>
              <pre tabIndex={0}>{patch === undefined ? 'There is no patch.' : visiblePatch(patch)}</pre>
            </details>
          ))}
        </>
      )}
      {undo.error && <Problem error={undo.error} />}
      {report && (
        <ul role="status" className={styles['report']}>
          {report.restored.map(({ path, action }) => (
            <li key={path}>
              {words[action]}: <code>{visibleLine(path)}</code>
            </li>
          ))}
          {report.notRestored.map(({ path, message }) => (
            <li key={path} className="error">
              <code>{visibleLine(path)}</code>: {visibleLine(message)}
            </li>
          ))}
        </ul>
      )}
      {isAsking && (
        <Dialog title="Undo the changes?" onClose={() => setAsking(false)}>
          <p>
            {files.length === 1 ? 'One file is' : `${files.length} files are`} restored to before
            {of === undefined ? ' the last turn.' : ` “${visibleLine(of)}”.`} What was changed since stays.
          </p>
          <div className={styles['actions']}>
            <button
              type="button"
              className="button primary"
              onClick={() => {
                setAsking(false);
                undo.mutate();
              }}
            >
              Undo changes
            </button>
            <button type="button" className="button" onClick={() => setAsking(false)}>
              Cancel
            </button>
          </div>
        </Dialog>
      )}
    </section>
  );
}

const visiblePatch = (patch: string): string => visibleText(patch.replaceAll('\t', '    '));
