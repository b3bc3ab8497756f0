import { Link } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import { lazyPart } from '../../components/lazy-part.ts';
import { escapeText } from '../../../contract/escape-text.ts';
import type { Task } from '../../../contract/task.ts';
import { Icon } from '../../components/icon.tsx';
import { formatCountdown, formatExact, useNow } from '../../components/time.tsx';
import type { TaskLog } from '../../live/task-log.ts';
import type { WaitRow } from '../../live/timeline-rows.ts';
import styles from './task.module.css';
import { useLog } from './use-task-log.ts';

const WithSettings = lazyPart(() => import('../../components/with-settings.tsx'), 'WithSettings');

/** What a task waits for that has not finished, with the time that is left. */
export function Waiting({ task, log }: { task: Task; log: TaskLog }) {
  useLog(log, (each) => each.version());
  const { id, status, held, scheduledFor, bestOf, choice } = task;
  if (held) return <Line>It was imported and is on hold. It runs once you release it.</Line>;
  if (status === 'in_progress' && bestOf?.pick === 'person' && !choice && isForPick(log))
    return (
      <Line isForYou>
        The candidates are finished.{' '}
        <Link to="/tasks/$id" params={{ id }} search={{ tab: 'candidates' }} resetScroll={false}>
          Choose one
        </Link>
      </Line>
    );
  if (status !== 'pending' && status !== 'queued') return null;
  const { last } = log.timeline;
  if (last?.kind === 'wait')
    return (
      <Line>
        <WaitText row={last} isCurrent />
      </Line>
    );
  if (scheduledFor)
    return (
      <Line>
        <Due at={scheduledFor} before="Starts" />
      </Line>
    );
  return null;
}

const isForPick = ({ timeline }: TaskLog) =>
  timeline.find('note', ({ waitsFor }) => waitsFor === 'pick') !== undefined;

function Line({ isForYou = false, children }: { isForYou?: boolean; children: ReactNode }) {
  return (
    <p className={styles['waiting']} data-attention={isForYou || undefined}>
      <Icon name={isForYou ? 'triangle-alert' : 'clock'} />
      <span>{children}</span>
    </p>
  );
}

const reasons: Record<WaitRow['reason'], string> = {
  agent: 'Waiting for an agent',
  daemon: 'Waiting for a daemon',
  retry: 'Attempt failed',
  limit: 'Usage limit reached',
  outage: 'Waiting for the provider',
};

/** Why it waits, and how long as long as it does. */
export function WaitText({ row: { reason, text, dueAt }, isCurrent }: { row: WaitRow; isCurrent: boolean }) {
  return (
    <>
      {reasons[reason]}:{' '}
      <Suspense fallback={escapeText(text)}>
        <WithSettings text={text} />
      </Suspense>
      {dueAt && isCurrent && (
        <>
          {' '}
          <Due at={dueAt} before="Next attempt" />
        </>
      )}
    </>
  );
}

const HOUR_MS = 3_600_000;

/** `Next attempt in 3:12`; far away, at which moment. Nothing of it once it is past. */
function Due({ at, before }: { at: string; before: string }) {
  const left = Date.parse(at) - useNow();
  if (left <= 0) return null;
  return (
    <time dateTime={at} title={formatExact(at)} className={styles['due']}>
      {before} {left < HOUR_MS ? `in ${formatCountdown(left)}` : formatExact(at)}
    </time>
  );
}
