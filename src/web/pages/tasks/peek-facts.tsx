import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Task } from '../../../contract/task.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { Facts } from '../../components/facts.tsx';
import { agentOf } from '../../components/task-row.tsx';
import { Elapsed } from '../../components/task-time.tsx';
import { Ago, formatDuration } from '../../components/time.tsx';
import styles from './peek.module.css';
import { formatNumber } from '../../components/format-number.ts';

/** What a task is and took, one fact a line. */
export function PeekFacts({ task }: { task: Task }) {
  const { createdAt, startedAt, completedAt, cwd, repository, branch, labels, attempts, maxAttempts } = task;
  const progress = task.status === 'in_progress' ? task.progress : undefined;
  const tokens = task.result?.usage?.totalTokens ?? progress?.tokens;
  const cost = task.result?.cost ?? progress?.cost;
  const facts: [name: string, value: ReactNode][] = [
    ['Agent', visibleLine(agentOf(task))],
    ['Model', visibleLine(task.result?.model ?? task.model ?? '')],
    ['Attempt', attempts > 0 && `${attempts} of ${maxAttempts}`],
    ['Duration', startedAt && <Duration startedAt={startedAt} completedAt={completedAt} />],
    ['Created', <Ago at={createdAt} />],
    ['Step', progress?.step !== undefined && formatNumber(progress.step)],
    ['Tokens', tokens !== undefined && formatNumber(tokens)],
    ['Cost', cost && `$${cost}`],
    ['Directory', cwd && <code>{visibleLine(cwd)}</code>],
    ['Repository', repository && visibleLine(repository)],
    ['Branch', branch && <code>{visibleLine(branch)}</code>],
    ['Labels', labels.length > 0 && <Labels labels={labels} />],
    ['ID', <code>{task.id}</code>],
  ];
  return <Facts facts={facts} />;
}

function Duration({ startedAt, completedAt }: { startedAt: string; completedAt: string | undefined }) {
  if (!completedAt) return <Elapsed since={startedAt} />;
  return formatDuration(Date.parse(completedAt) - Date.parse(startedAt));
}

/** Each leads to the tasks that have it, too. */
function Labels({ labels }: { labels: readonly string[] }) {
  return (
    <span className={styles['labels']}>
      {labels.map((label) => (
        <Link key={label} to="/tasks" search={{ label }}>
          {visibleLine(label)}
        </Link>
      ))}
    </span>
  );
}
