import { Link } from '@tanstack/react-router';
import type { KeyboardEvent, ReactNode } from 'react';
import type { Task } from '../../../contract/task.ts';
import { LineCounts } from '../../components/line-counts.tsx';
import type { TaskLog } from '../../live/task-log.ts';
import styles from './task.module.css';
import type { TabName } from './tab-names.ts';
import { useLog } from './use-task-log.ts';
import { formatNumber } from '../../components/format-number.ts';

interface TabsProps {
  task: Task;
  log: TaskLog;
  current: TabName;
  children: ReactNode;
}

/** The views of what a task did; the address names the one that is open. */
export function TaskTabs({ task, log, current, children }: TabsProps) {
  const { id, bestOf, result, verify } = task;
  const lines = useLog(log, ({ output }) => output.count);
  const hasRounds = useLog(log, ({ timeline }) => timeline.find('check', () => true) !== undefined);
  const commands = result?.verification?.commands ?? [];
  const passed = commands.filter(({ exitCode }) => exitCode === 0).length;
  const hasChecks = verify !== undefined || commands.length > 0 || hasRounds || current === 'checks';
  const { additions = 0, deletions = 0 } = result?.changes ?? {};
  const tabs: { name: TabName; label: string; note?: ReactNode }[] = [
    ...(bestOf ? [{ name: 'candidates' as const, label: 'Candidates', note: bestOf.count }] : []),
    { name: 'timeline', label: 'Timeline' },
    { name: 'output', label: 'Output', note: lines > 0 && formatNumber(lines) },
    {
      name: 'changes',
      label: 'Changes',
      note: additions + deletions > 0 && <LineCounts additions={additions} deletions={deletions} />,
    },
    ...(hasChecks
      ? [
          {
            name: 'checks' as const,
            label: 'Checks',
            note: commands.length > 0 && `${passed}/${commands.length}`,
          },
        ]
      : []),
    { name: 'trace', label: 'Trace' },
  ];
  return (
    <div className={styles['views']}>
      <div className={styles['tabs']} role="tablist" aria-label="Views" onKeyDown={moveFocus}>
        {tabs.map(({ name, label, note }) => (
          <Link
            key={name}
            id={`tab-${name}`}
            role="tab"
            to="/tasks/$id"
            params={{ id }}
            search={{ tab: name }}
            resetScroll={false}
            aria-selected={name === current}
            aria-controls="view"
            tabIndex={name === current ? 0 : -1}
            className={styles['tab'] ?? ''}
          >
            {label}
            {note !== undefined && note !== false && <span className={styles['count']}>{note}</span>}
          </Link>
        ))}
      </div>
      <div id="view" role="tabpanel" aria-labelledby={`tab-${current}`} className={styles['view']}>
        <h2 className="visually-hidden">{tabs.find(({ name }) => name === current)?.label}</h2>
        {children}
      </div>
    </div>
  );
}

/** Arrows, as in every list of tabs. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const tabs = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')];
  const at = tabs.indexOf(document.activeElement as HTMLElement);
  const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
  if (at < 0 || next === undefined) return;
  event.preventDefault();
  tabs[(next + tabs.length) % tabs.length]?.focus();
}
