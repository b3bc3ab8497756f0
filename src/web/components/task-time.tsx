import type { ListedTask } from '../../contract/task.ts';
import { Ago, formatDuration, formatExact, useNow } from './time.tsx';

/** The moment that matters of a task: how long it has been running, when it starts again, finished or was created. */
export function TaskTime({ task }: { task: ListedTask }) {
  const { status, createdAt, startedAt, completedAt, scheduledFor } = task;
  if (status === 'in_progress' && startedAt) return <Elapsed since={startedAt} />;
  const at = completedAt ?? (status === 'queued' && scheduledFor ? scheduledFor : createdAt);
  return at ? <Ago at={at} /> : null;
}

/** Counts the seconds since a moment. */
export function Elapsed({ since }: { since: string }) {
  const ms = Math.max(0, useNow() - Date.parse(since));
  return (
    <time dateTime={since} title={`Started ${formatExact(since)}`}>
      {ms < 60_000 ? `${Math.floor(ms / 1000)} s` : formatDuration(ms)}
    </time>
  );
}
