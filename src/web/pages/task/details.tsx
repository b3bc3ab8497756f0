import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { escapeLine, escapeText } from '../../../contract/escape-text.ts';
import type { Task } from '../../../contract/task.ts';
import { findVendor, productNames } from '../../../contract/vendors.ts';
import { Facts } from '../../components/facts.tsx';
import { OutsideLink } from '../../components/outside-link.tsx';
import { Ago, formatDuration, useNow } from '../../components/time.tsx';
import type { TaskLog } from '../../live/task-log.ts';
import { taskSessionQuery } from '../../queries/tasks.ts';
import styles from './task.module.css';
import { useLog } from './use-task-log.ts';
import { formatNumber } from '../../components/format-number.ts';

/** What is known of a task, beside what it does. */
export function Details({ task, log }: { task: Task; log: TaskLog }) {
  const { data: session } = useQuery(taskSessionQuery(task.id));
  const used = useLog(log, (each) => each.tokens);
  const { result, createdAt, scheduledFor, sourceUrl, prompt, description } = task;
  const isRunning = task.status === 'in_progress';
  const progress = isRunning ? task.progress : undefined;
  const cost = result?.cost ?? progress?.cost;
  const url = result?.changes?.pullRequest?.url;
  const facts: [string, ReactNode][] = [
    ['Agent', task.agentType ?? task.assignedAgent ?? 'default'],
    ['Model', result?.model ?? task.model],
    ['Attempt', task.attempts > 0 && `${task.attempts} of ${task.maxAttempts}`],
    ['Duration', task.startedAt && <Duration task={task} />],
    ['Step', progress?.step],
    ['Tokens', tokensOf(result?.usage, progress?.tokens ?? (isRunning ? used : undefined))],
    ['Cost', cost !== undefined && `$${cost}`],
    ['Created', <Ago key="created" at={createdAt} />],
    ['Starts', task.status === 'pending' && scheduledFor && <Ago at={scheduledFor} />],
    ['Finished', task.completedAt && <Ago at={task.completedAt} />],
    ['Directory', task.cwd && <code>{escapeLine(task.cwd)}</code>],
    ['Needs', task.needs && escapeLine(task.needs.join(', '))],
    ['Host', hostOf(task)],
    ['Daemon', task.daemon && <DaemonFact daemon={task.daemon} />],
    ['Repository', task.repository],
    [
      'Branch',
      (result?.changes?.branch ?? task.branch) && <code>{result?.changes?.branch ?? task.branch}</code>,
    ],
    [
      'Pull request',
      url && (
        <OutsideLink href={url} text={url}>
          {escapeLine(url.replace(/^https:\/\//, ''))}
        </OutsideLink>
      ),
    ],
    ['Labels', task.labels.length > 0 && escapeLine(task.labels.join(', '))],
    [
      'Source',
      sourceUrl && (
        <OutsideLink href={sourceUrl} text="">
          {sourceName(task.source)}
        </OutsideLink>
      ),
    ],
    ['Candidate of', task.parentId && <TaskLink id={task.parentId} />],
    ['Continues', task.continues && <TaskLink id={task.continues} />],
    ['Retry of', task.retriedFrom && <TaskLink id={task.retriedFrom} />],
    ['Session', session && <code>{escapeLine(session.id)}</code>],
    ['ID', <code key="id">{task.id}</code>],
  ];
  return (
    <aside className={styles['details']} aria-label="Details">
      <h2>Details</h2>
      <Facts facts={facts} />
      {description && <Text title="Description" text={description} />}
      {prompt && <Text title="Prompt" text={prompt} />}
    </aside>
  );
}

/** Where its latest run is or was, or where it has to run. */
const hostOf = ({ daemon, home }: Task): ReactNode => escapeLine(daemon?.host ?? home ?? '');

const DaemonFact = ({ daemon: { id, name } }: { daemon: NonNullable<Task['daemon']> }) => (
  <>
    {name !== undefined && <div>{escapeLine(name)}</div>}
    <code>{escapeLine(id)}</code>
  </>
);

const TaskLink = ({ id }: { id: string }) => (
  <Link to="/tasks/$id" params={{ id }} className={styles['id'] ?? ''}>
    {id}
  </Link>
);

const Text = ({ title, text }: { title: string; text: string }) => (
  <>
    <h2>{title}</h2>
    <pre className={styles['pre']} tabIndex={0} role="group" aria-label={title}>
      {escapeText(text)}
    </pre>
  </>
);

/** The product that it came from, as people call it. */
function sourceName(source: string): string {
  const vendor = findVendor(source);
  return vendor ? productNames[vendor] : source;
}

/** Ticks while it runs. */
function Duration({ task: { startedAt = '', completedAt, status } }: { task: Task }) {
  const now = useNow();
  const end = completedAt ? Date.parse(completedAt) : status === 'in_progress' ? now : undefined;
  // The clock of this page only counts whole seconds.
  const ms = end === undefined ? undefined : Math.max(0, end - Date.parse(startedAt));
  if (ms === undefined) return '–';
  return formatDuration(completedAt ? ms : Math.max(1000, Math.floor(ms / 1000) * 1000));
}

type Usage = NonNullable<Task['result']>['usage'];

/** Of the result, or of the run in progress; nothing where its agent does not say. */
function tokensOf(usage: Usage, used: number | undefined): ReactNode {
  if (!usage) return used !== undefined && formatNumber(used);
  return (
    <span title={`${formatNumber(usage.inputTokens)} in, ${formatNumber(usage.outputTokens)} out`}>
      {formatNumber(usage.totalTokens)}
    </span>
  );
}
