import { lazyPart } from './lazy-part.ts';
import { type ReactNode, Suspense, useState } from 'react';
import { escapeLine } from '../../contract/escape-text.ts';
import { Icon } from './icon.tsx';
import { Loading } from './loading.tsx';
import { LineCounts } from './line-counts.tsx';
import styles from './diff-view.module.css';

const DiffRows = lazyPart(() => import('./diff-rows.tsx'), 'DiffRows');

/** A file with more changed lines is closed at first. */
const LARGE = 300;

/** A changed file. */
export interface FileChange {
  path: string;
  status?: 'added' | 'modified' | 'deleted' | 'renamed' | undefined;
  /** Its earlier path. */
  from?: string | undefined;
  additions?: number | undefined;
  deletions?: number | undefined;
  /** Unified diff of this file. */
  patch?: string | undefined;
  /** The same as two texts. */
  texts?: { before: string; after: string } | undefined;
  /** In place of both: what shows the lines once it is open. */
  body?: ReactNode;
  /** Whether it is open at first; a large change is not, unless set. */
  isOpen?: boolean | undefined;
  /** In place of the lines: why there are none. */
  note?: string | undefined;
}

/** Changed files, each with its lines below its name. */
export function DiffView({ files }: { files: readonly FileChange[] }) {
  return (
    <ul className={styles['files']} role="list">
      {files.map((file) => (
        <li key={file.path}>
          <FileDiffView file={file} />
        </li>
      ))}
    </ul>
  );
}

function FileDiffView({ file }: { file: FileChange }) {
  const { path, status, from, additions = 0, deletions = 0, patch, texts, body, note } = file;
  const hasLines = patch !== undefined || texts !== undefined || body !== undefined;
  const isLarge = additions + deletions > LARGE;
  const [isOpen, setOpen] = useState(hasLines && (file.isOpen ?? !isLarge));
  const name = escapeLine(path);
  const slash = name.lastIndexOf('/') + 1;
  return (
    <details
      className={styles['file']}
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        <Icon name="chevron-right" className={styles['mark']} />
        <span className={styles['name']}>
          <span className="muted">{name.slice(0, slash)}</span>
          {name.slice(slash)}
        </span>
        {status && status !== 'modified' && (
          <span className={styles['status']}>
            {status}
            {from !== undefined && ` from ${escapeLine(from)}`}
          </span>
        )}
        {note && <span className="muted">{note}</span>}
        <LineCounts additions={additions} deletions={deletions} />
      </summary>
      {isOpen &&
        (hasLines ? (
          <Suspense fallback={<Loading rows={2} label={`Loading the lines of ${name}`} />}>
            {body ?? <DiffRows patch={patch} texts={texts} label={`Lines of ${name}`} />}
          </Suspense>
        ) : (
          <p className={styles['none']}>
            {note ?? (status === 'renamed' ? 'No line has changed.' : 'There are no lines to show.')}
          </p>
        ))}
      {!isOpen && isLarge && hasLines && (
        <p className={styles['none']}>A large change. Open it to see its lines.</p>
      )}
    </details>
  );
}
