import { formatAge, formatDuration } from '../../output/duration.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { fitText, textWidth } from '../../output/text-width.ts';
import type { Line, Style } from '../parts/line.ts';
import { askingMark, taskMarks } from './task-marks.ts';
import { describeWait, isTaskFinished, type WatchedTask } from './watched-task.ts';

export interface TaskListLook {
  width: number;
  /** Epoch milliseconds. */
  now: number;
  selectedId: string | undefined;
  /** The tasks that wait for a person. */
  askingIds: ReadonlySet<string | undefined>;
}

const muted: Style = { tone: 'muted' };
const TIME = 10;
const AGENT = 10;
const GAP = '  ';

interface Widths {
  title: number;
  agent: number;
  said: number;
}

/** What a row is made of at this width; what is least important gives way first. */
function widthsAt(width: number): Widths {
  const agent = width >= 60 ? AGENT : 0;
  const room = width - 4 - (agent === 0 ? 0 : agent + GAP.length) - TIME - GAP.length;
  if (width < 72) return { title: Math.max(8, room), agent, said: 0 };
  const title = Math.min(80, Math.floor((room - GAP.length) * 0.5));
  return { title, agent, said: room - GAP.length - title };
}

export function renderTitles(width: number): Line {
  const { title, agent, said } = widthsAt(width);
  const cells = [
    pad('TASK', title),
    ...(agent === 0 ? [] : [pad('AGENT', agent)]),
    'TIME'.padStart(TIME),
    ...(said === 0 ? [] : ['LAST']),
  ];
  return [{ text: `    ${cells.join(GAP)}`, style: muted }];
}

/** A task in one row: its state, what it is, who does it, for how long, and what was heard last. */
export function renderTask(watched: WatchedTask, look: TaskListLook): Line {
  const { task } = watched;
  const widths = widthsAt(look.width);
  const isSelected = task.id === look.selectedId;
  const isAsking = look.askingIds.has(task.id);
  const mark = isAsking ? askingMark : taskMarks[task.status ?? 'pending'];
  const isOver = isTaskFinished(watched);
  return [
    { text: isSelected ? '› ' : '  ', style: { tone: 'accent', isBold: true } },
    mark,
    {
      text: ` ${pad(escapeLine(task.title ?? task.id), widths.title)}`,
      style: { isBold: isSelected, ...(isOver && !isSelected && muted) },
    },
    ...(widths.agent === 0
      ? []
      : [
          {
            text: GAP + pad(escapeLine(task.agentType ?? task.assignedAgent ?? ''), widths.agent),
            style: muted,
          },
        ]),
    { text: GAP + timeOf(watched, look.now).padStart(TIME), style: isOver ? muted : undefined },
    ...(widths.said === 0
      ? []
      : [
          {
            text: GAP + fitText(lastOf(watched, look), widths.said),
            style: { tone: isAsking ? 'warning' : task.status === 'failed' ? 'bad' : 'muted' } as const,
          },
        ]),
  ];
}

/** The last output of a task; for a completed one, when it finished. */
function lastOf(watched: WatchedTask, { now, askingIds }: TaskListLook): string {
  const { task, said } = watched;
  const { id, status, completedAt } = task;
  if (status === 'completed' && completedAt !== undefined) return formatAge(completedAt, now);
  return askingIds.has(id) && said === '' ? 'needs approval' : (describeWait(watched, now) ?? said);
}

/** How long it runs or ran, or how long it has waited. */
function timeOf({ task }: WatchedTask, now: number): string {
  const { status, createdAt, startedAt = createdAt, completedAt } = task;
  const from = status === 'pending' || status === 'queued' ? createdAt : startedAt;
  if (from === undefined) return '';
  const to = completedAt === undefined ? now : Date.parse(completedAt);
  const ms = Math.max(0, to - Date.parse(from));
  // A running time is shown in whole seconds, or it would flicker.
  return formatDuration(completedAt === undefined && ms < 60_000 ? Math.floor(ms / 1000) * 1000 : ms).replace(
    /^0 ms$|^(\d)\.0 s$/,
    (_, seconds: string | undefined) => `${seconds ?? 0} s`,
  );
}

function pad(text: string, width: number): string {
  const fitting = fitText(text, width);
  return fitting + ' '.repeat(Math.max(0, width - textWidth(fitting)));
}
