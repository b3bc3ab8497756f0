import { describeNextTry, dueTime } from '../../output/describe-retry.ts';
import { formatDuration } from '../../output/duration.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { fitText, textWidth } from '../../output/text-width.ts';
import { type Line, lineWidth, type Span, type Style } from '../parts/line.ts';
import type { RunState } from '../parts/run-state.ts';
import { askingMark, taskMarks } from './task-marks.ts';
import type { AttachedRun, WatchState } from './watch-state.ts';

const muted: Style = { tone: 'muted' };

/** The first row: the state of the queue and pending approvals. */
export function renderHeader({ queue, approvals, isAway, isLoaded }: WatchState, width: number): Line {
  const name: Span = { text: 'svc tasks', style: { isBold: true } };
  if (isAway)
    return [name, { text: '  the daemon is not responding; reconnecting', style: { tone: 'warning' } }];
  if (!isLoaded || !queue) return [name, { text: '  …', style: muted }];
  const { pending, queued, inProgress } = queue.queues.tasks;
  const counts: Line[] = [
    [taskMarks.in_progress, { text: ` ${inProgress} running` }],
    [taskMarks.queued, { text: ` ${queued} queued` }],
    [taskMarks.pending, { text: ` ${pending} pending` }],
    ...(approvals.length === 0
      ? []
      : [
          [
            askingMark,
            {
              text: ` ${counted(approvals.length, 'approval')}`,
              style: { tone: 'warning' } as const,
            },
          ],
        ]),
    ...(queue.deadLetterQueue.pending === 0
      ? []
      : [[taskMarks.failed, { text: ` ${counted(queue.deadLetterQueue.pending, 'dead letter')}` }]]),
    ...(queue.paused ? [[{ text: 'paused', style: { tone: 'warning' } as const }]] : []),
  ];
  const line: Span[] = [name];
  for (const count of counts) {
    if (lineWidth(line) + lineWidth(count) + 3 > width) break;
    line.push({ text: '   ' }, ...count);
  }
  return line;
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** The rows above what a task does. */
export function renderTaskHead(
  { id, task, run, retry }: AttachedRun,
  { width, now, isAsking }: { width: number; now: number; isAsking: boolean },
): Line[] {
  const mark = isAsking ? askingMark : taskMarks[task?.status ?? 'pending'];
  const facts = [
    task?.agentType ?? task?.assignedAgent,
    run.model,
    timeOf(run, now),
    run.step === undefined ? undefined : `step ${run.step}${run.maxSteps ? ` of ${run.maxSteps}` : ''}`,
    run.usedTokens ? `${run.usedTokens} tokens` : undefined,
    isAsking ? undefined : retry ? describeNextTry(dueTime(retry), now) : phases[run.phase],
    id,
  ].filter((fact) => fact !== undefined && fact !== '');
  return [
    [mark, { text: ` ${fitText(escapeLine(task?.title ?? ''), width - 2)}`, style: { isBold: true } }],
    [{ text: fitText(escapeLine(facts.join(' · ')), width), style: muted }],
    [{ text: '─'.repeat(Math.max(0, width)), style: muted }],
  ];
}

const phases: Partial<Record<RunState['phase'], string>> = {
  thinking: 'thinking',
  writing: 'writing',
  tool: 'uses a tool',
  done: 'done',
  failed: 'ended',
};

function timeOf({ startedAt, endedAt }: RunState, now: number): string | undefined {
  if (startedAt === undefined) return undefined;
  const ms = Math.max(0, (endedAt ?? now) - startedAt);
  return endedAt === undefined
    ? `${Math.floor(ms / 1000)} s`.replace(/^(\d{2,}) s$/, () => formatDuration(ms))
    : formatDuration(ms);
}

/** Keys and what they do, as many as there is room for. */
export function renderKeys(keys: readonly (readonly [string, string])[], width: number): Line {
  const line: Span[] = [];
  let used = 0;
  for (const [key, meaning] of keys) {
    const gap = line.length === 0 ? '' : '   ';
    const columns = textWidth(`${gap}${key} ${meaning}`);
    if (used + columns > width) break;
    used += columns;
    line.push(
      { text: gap + key, style: { tone: 'accent', isBold: true } },
      { text: ` ${meaning}`, style: muted },
    );
  }
  return line;
}
