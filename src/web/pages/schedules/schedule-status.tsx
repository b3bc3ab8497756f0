import type { Schedule } from '../../../contract/schedules.ts';
import { StateBadge } from '../../components/state-badge.tsx';

/** Whether a schedule runs; one that paused itself says so in red. */
export function ScheduleStatus({ schedule: { status, pausedReason } }: { schedule: Schedule }) {
  if (status === 'active') return <StateBadge icon="calendar-clock">Active</StateBadge>;
  if (status === 'done') return <StateBadge icon="circle-check">Done</StateBadge>;
  if (status !== 'paused') return <StateBadge icon="circle-dashed">{status}</StateBadge>;
  return pausedReason === undefined ? (
    <StateBadge icon="pause">Paused</StateBadge>
  ) : (
    <StateBadge icon="triangle-alert" tone="bad">
      Paused
    </StateBadge>
  );
}
