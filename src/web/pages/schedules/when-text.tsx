import type { Schedule } from '../../../contract/schedules.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { cronWords } from '../../components/cron-words.ts';
import { formatIn } from '../../components/task-fields/next-runs.tsx';

/** When a schedule runs: in words where there are some, and as its expression. */
export function WhenText({ schedule: { cron, at, timezone } }: { schedule: Schedule }) {
  if (cron === undefined)
    return (
      <>
        Once, {at && formatIn(timezone, at)} ({visibleLine(timezone)})
      </>
    );
  const words = cronWords(cron);
  return (
    <>
      {words && `${words} · `}
      <code>{visibleLine(cron)}</code> · {visibleLine(timezone)}
    </>
  );
}
