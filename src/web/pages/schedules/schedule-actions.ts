import { useMutation } from '@tanstack/react-query';
import type { Schedule } from '../../../contract/schedules.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { client } from '../../client.ts';
import { remove } from '../../components/removal.ts';
import { delay } from '../../components/undo.tsx';
import { putSchedule, refreshSchedules, scheduleQuery } from '../../queries/schedules.ts';
import { queryClient } from '../../queries/query-client.ts';

/** Deletes a schedule, unless that is undone; its tasks are kept. */
export const removeSchedule = ({ id, name }: Schedule): void =>
  remove(id, `Deleted ${visibleLine(name)}. Its tasks are kept.`, async () => {
    await client.schedules.delete({ params: { id } });
    queryClient.removeQueries({ queryKey: scheduleQuery(id).queryKey });
    await refreshSchedules();
  });

/** Pauses or resumes a schedule; the page shows it before the daemon has answered. */
export const useActivation = (schedule: Schedule) => {
  const { id, name } = schedule;
  const activation = useMutation({
    mutationFn: (active: boolean) => client.schedules.update({ params: { id }, body: { active } }),
    onMutate: (active) => {
      const { nextRunAt: _, pausedReason: __, ...others } = schedule;
      putSchedule({ ...others, status: active ? 'active' : 'paused', nextRuns: [] });
    },
    onSuccess: ({ schedule: now }, active) => {
      putSchedule(now);
      if (!active)
        delay(`Paused ${visibleLine(name)}.`, {
          commit: async () => undefined,
          revert: () => activation.mutate(true),
        });
    },
    onError: () => putSchedule(schedule),
    onSettled: refreshSchedules,
  });
  return activation;
};

/** Runs a schedule now, in addition to its times. */
export const useRunNow = ({ id }: Schedule) =>
  useMutation({
    mutationFn: () => client.schedules.run({ params: { id } }),
    onSettled: () =>
      Promise.all([refreshSchedules(), queryClient.invalidateQueries({ queryKey: ['tasks'] })]),
  });
