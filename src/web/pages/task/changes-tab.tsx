import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { escapeText } from '../../../contract/escape-text.ts';
import type { ChangedFile, ChangedFileEntry, ChangedFiles } from '../../../contract/changes.ts';
import { ApiError } from '../../../contract/client.ts';
import type { Task } from '../../../contract/task.ts';
import { client } from '../../client.ts';
import { counted } from '../../components/counted.ts';
import { DiffView, type FileChange } from '../../components/diff-view.tsx';
import { LineCounts } from '../../components/line-counts.tsx';
import { Empty } from '../../components/empty.tsx';
import { Icon } from '../../components/icon.tsx';
import { Loading } from '../../components/loading.tsx';
import { Problem } from '../../components/problem.tsx';
import { delay } from '../../components/undo.tsx';
import { queryClient } from '../../queries/query-client.ts';
import { changedFilesQuery } from '../../queries/changes.ts';
import { ChangeActions } from './change-actions.tsx';
import { ChangedLines } from './changed-lines.tsx';
import styles from './task.module.css';
import { isFinished } from './task-states.ts';

/** How often the changes of an agent at work are read. */
const EVERY_MS = 5000;
/** So many files are open at first, with so many changed lines; the others are read when they are opened. */
const OPEN = { files: 20, lines: 600 };

/** The files that a task changed, and what can be done with them. */
export function ChangesTab({ task }: { task: Task }) {
  const { id, status } = task;
  const isRunning = status === 'in_progress';
  const { isDiscarded, problem, discard } = useDiscard(id);
  const everyMs = isRunning && EVERY_MS;
  const { data, error, refetch } = useQuery({ ...changedFilesQuery(id), refetchInterval: everyMs });
  if (error && !data) return <Problem error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading rows={3} label="Loading the changes" />;
  if (isDiscarded) return <Empty>The changes are discarded. Undo brings them back.</Empty>;
  const { files, worktree, notKept } = data;
  // Git also counts the lines of files that are not shown.
  const { additions, deletions } = (worktree && task.result?.changes) ?? data;
  return (
    <div className={styles['changes']}>
      {error && <Problem error={error} />}
      {problem && <Problem error={problem} />}
      {problem instanceof ApiError && problem.status === 409 && (
        <p>
          <button type="button" className="button danger" onClick={() => discard(true)}>
            Discard anyway
          </button>
        </p>
      )}
      {(files.length > 0 || worktree) && (
        <div className={styles['changes-bar']}>
          <p>
            {counted(files.length, 'file')} changed <LineCounts additions={additions} deletions={deletions} />
          </p>
          {worktree && files.length > 0 && <PatchLink id={id} />}
          {worktree && isFinished(status) && (
            <ChangeActions
              task={task}
              worktree={worktree}
              hasFiles={files.length > 0}
              onDiscard={() => discard(false)}
            />
          )}
        </div>
      )}
      {remarksOf(data).map((remark) => (
        <p key={remark} className={styles['remark']}>
          {escapeText(remark)}
        </p>
      ))}
      {files.length === 0 && notKept.length === 0 && (
        <Empty>
          {isFinished(status) ? 'It changed no files.' : 'The files that it changes appear here.'}
        </Empty>
      )}
      <DiffView files={changesOf(id, data, everyMs)} />
    </div>
  );
}

/** Discards the changes once they can no longer be brought back. */
function useDiscard(id: string) {
  const [isDiscarded, setDiscarded] = useState(false);
  const [problem, setProblem] = useState<Error>();
  const discard = (force: boolean) => {
    setProblem(undefined);
    setDiscarded(true);
    delay('Changes discarded.', {
      async commit() {
        try {
          await client.tasks.discardChanges({ params: { id }, body: { force } });
        } catch (error) {
          setProblem(error instanceof Error ? error : new Error(String(error)));
          throw error;
        }
        await queryClient.invalidateQueries({ queryKey: ['task', id] });
        setDiscarded(false);
      },
      revert: () => setDiscarded(false),
    });
  };
  return { isDiscarded, problem, discard };
}

const PatchLink = ({ id }: { id: string }) => (
  <a
    className={styles['raw']}
    href={`/api/tasks/${encodeURIComponent(id)}/changes/patch`}
    download={`${id}.patch`}
  >
    <Icon name="download" /> Patch
  </a>
);

const withheld: Record<NonNullable<ChangedFile['withheld']>, string> = {
  secret: 'holds credentials',
  not_kept: 'its content is not kept',
  size: 'too large to show',
};

function changesOf(id: string, { files, worktree }: ChangedFiles, everyMs: number | false): FileChange[] {
  const left = { ...OPEN };
  return files.map((file) => {
    const { path, status, from, additions = 0, deletions = 0 } = file;
    // Git makes the patch of a large file where there is a worktree.
    const isLarge = file.withheld === 'size' && !file.isBinary && worktree !== undefined;
    const note = isLarge ? 'large' : noteOf(file);
    const hasLines = isLarge || (!file.isBinary && file.withheld === undefined && status !== 'renamed');
    const lines = additions + deletions;
    const isOpen = hasLines && !isLarge && left.files > 0 && lines <= left.lines;
    if (isOpen) {
      left.files--;
      left.lines -= lines;
    }
    return {
      path,
      status,
      from,
      additions,
      deletions,
      note,
      ...(hasLines && {
        body: <ChangedLines id={id} file={file} everyMs={everyMs} />,
        isOpen,
      }),
    };
  });
}

const noteOf = ({ undoneAt, withheld: reason, isBinary }: ChangedFileEntry): string | undefined =>
  undoneAt ? 'undone' : reason ? withheld[reason] : isBinary ? 'binary' : undefined;

function remarksOf({ files, truncated, notKept }: ChangedFiles): string[] {
  const undone = files.filter(({ undoneAt }) => undoneAt !== undefined).length;
  return [
    ...(truncated ? ['There are more files than are shown. The patch has all of them.'] : []),
    ...(undone > 0 && undone === files.length ? ['These changes were undone.'] : []),
    ...notKept.map(({ message }) => message),
  ];
}
