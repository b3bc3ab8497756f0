import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { escapeLine } from '../../../contract/escape-text.ts';
import type { Changes } from '../../../contract/changes.ts';
import type { Task } from '../../../contract/task.ts';
import { client } from '../../client.ts';
import { Icon } from '../../components/icon.tsx';
import { UnlessLimited } from '../../components/limited.tsx';
import { OutsideLink } from '../../components/outside-link.tsx';
import { Problem } from '../../components/problem.tsx';
import { useAway } from '../../live/use-away.ts';
import { changedFilesQuery } from '../../queries/changes.ts';
import { queryClient } from '../../queries/query-client.ts';
import { CommitDialog, PullRequestDialog } from './change-dialogs.tsx';
import styles from './task.module.css';

/** How often it is read whether what somebody has to allow is done. */
const EVERY_MS = 2000;

/** What the daemon did, or that it waits. */
interface Done {
  message: string;
  status?: string;
}

interface ChangeActionsProps {
  task: Task;
  worktree: NonNullable<Changes['worktree']>;
  hasFiles: boolean;
  onDiscard: () => void;
}

/** What can be done with the changes in a worktree. Each waits for the daemon. */
export function ChangeActions({ task: { id, title }, worktree, hasFiles, onDiscard }: ChangeActionsProps) {
  const [dialog, setDialog] = useState<'commit' | 'pull-request'>();
  const params = { id };
  const act = useMutation({
    mutationFn: (action: () => Promise<Done>) => action(),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['task', id] }),
  });
  const run = (action: () => Promise<Done>) => {
    setDialog(undefined);
    act.mutate(action);
  };
  const isAway = useAway();
  const isDisabled = act.isPending || isAway;
  const isThere = worktree.path !== undefined;
  const { pullRequest } = worktree;
  // Somebody allows it elsewhere, and then it is done at some time.
  const isWaiting = act.data?.status === 'waiting_for_approval' && !pullRequest;
  useQuery({ ...changedFilesQuery(id), refetchInterval: isWaiting && EVERY_MS });
  const button = (name: string, action: () => void, isMain = false) => (
    <button
      type="button"
      className={`button ${isMain ? 'primary' : ''}`}
      disabled={isDisabled}
      onClick={action}
    >
      {name}
    </button>
  );
  return (
    <>
      <UnlessLimited>
        <div className={styles['change-actions']}>
          {hasFiles && button('Apply', () => run(() => client.tasks.applyChanges({ params })), true)}
          {isThere && button('Commit…', () => setDialog('commit'))}
          {isThere && button('Push', () => run(() => client.tasks.pushChanges({ params })))}
          {isThere && !pullRequest && button('Pull request…', () => setDialog('pull-request'))}
          {isThere && (
            <button type="button" className="button danger" disabled={isDisabled} onClick={onDiscard}>
              Discard
            </button>
          )}
        </div>
      </UnlessLimited>
      {pullRequest && (
        <p className={styles['outcome']}>
          <Icon name="git-pull-request" />
          <OutsideLink href={pullRequest.url} text="">
            Pull request {pullRequest.number}
          </OutsideLink>
        </p>
      )}
      <p role="status" className={styles['outcome']}>
        {act.isPending && 'Working…'}
        {act.data &&
          !(act.data.status === 'waiting_for_approval' && pullRequest) &&
          `${escapeLine(act.data.message)}.`}
      </p>
      {act.error && <Problem error={act.error} />}
      {dialog === 'commit' && (
        <CommitDialog
          title={title}
          onClose={() => setDialog(undefined)}
          onCommit={(body) => run(() => client.tasks.commitChanges({ params, body }))}
        />
      )}
      {dialog === 'pull-request' && (
        <PullRequestDialog
          title={title}
          onClose={() => setDialog(undefined)}
          onOpen={(body) => run(() => client.tasks.openPullRequest({ params, body }))}
        />
      )}
    </>
  );
}
