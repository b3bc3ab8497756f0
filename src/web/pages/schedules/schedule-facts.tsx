import type { Schedule } from '../../../contract/schedules.ts';
import { catchUpMeanings, overlapMeanings } from '../../../contract/schedule-policies.ts';
import { visibleLine, visibleText } from '../../../contract/visible-text.ts';
import { Facts } from '../../components/facts.tsx';
import { Ago, formatDuration } from '../../components/time.tsx';
import { LastRun } from './last-run.tsx';
import { WhenText } from './when-text.tsx';
import { formatNumber } from '../../components/format-number.ts';

/** What `svc schedules show` prints of a schedule, in the same order. */
export function ScheduleFacts({ schedule }: { schedule: Schedule }) {
  const { task, name, overlap, catchUp, createdAt } = schedule;
  const isOwnTitle = ![name, task.prompt].includes(task.title);
  return (
    <Facts
      facts={[
        ['Times', <WhenText key="when" schedule={schedule} />],
        ['Last run', schedule.lastTaskId && <LastRun schedule={schedule} />],
        ['Runs', countsOf(schedule)],
        ['Overlap', overlapMeanings[overlap]],
        ['Catch up', catchUpMeanings[catchUp]],
        ['Failures', failuresOf(schedule)],
        ['Title', isOwnTitle && visibleLine(task.title)],
        ['Agent', task.assignedAgent && visibleLine(task.assignedAgent)],
        ['Candidates', task.bestOf && String(task.bestOf.count)],
        ['Directory', task.cwd && visibleLine(task.cwd)],
        [
          'Repository',
          task.repository && visibleLine([task.repository, task.branch].filter(Boolean).join(' ')),
        ],
        ['Variables', task.envNames?.map(visibleLine).join(', ')],
        ['Priority', task.priority !== 3 && String(task.priority)],
        ['Labels', task.labels.map(visibleLine).join(', ')],
        ['Verify', task.verify && visibleText(task.verify.join('\n'))],
        ['Security mode', task.securityMode],
        ['Model', visibleLine([task.provider, task.model].filter(Boolean).join(' '))],
        ['Limits', limitsOf(task)],
        ['Created', <Ago key="created" at={createdAt} />],
      ]}
    />
  );
}

function countsOf({ runCount, waitingCount, skippedCount, misfireCount }: Schedule): string {
  const others: [number, string][] = [
    [waitingCount, 'waiting'],
    [skippedCount, 'skipped'],
    [misfireCount, 'missed'],
  ];
  return [String(runCount), ...others.filter(([n]) => n > 0).map(([n, what]) => `${n} ${what}`)].join(', ');
}

const failuresOf = ({ failureCount, maxFailures }: Schedule) =>
  maxFailures === 0 ? `${failureCount} in a row` : `${failureCount} in a row, pauses at ${maxFailures}`;

const limitsOf = ({ maxSteps, maxBudget, maxCostUsd, maxTimeMs }: Schedule['task']) =>
  [
    maxSteps !== undefined && `${maxSteps} steps`,
    maxBudget !== undefined && `${formatNumber(maxBudget)} tokens`,
    maxCostUsd !== undefined && `${maxCostUsd} USD`,
    maxTimeMs !== undefined && formatDuration(maxTimeMs),
  ]
    .filter(Boolean)
    .join(', ');
