import { z } from 'zod';
import type { OpenStreams } from '../../limits/open-streams.ts';
import { defineServedTool, reads, type ServedTool } from '../served-tool.ts';
import { taskStateSchema } from '../task-state.ts';
import type { TaskViews } from '../task-views.ts';
import type { TaskQuestions } from '../task-questions.ts';
import type { TaskReports } from '../task-reports.ts';
import type { TaskWaits } from '../../gateway/task-waits.ts';
import { AppError } from '../../errors.ts';
import { type StoredTask, toTask } from '../../tasks/task-mapping.ts';
import { readScopes, taskIdSchema } from './read-tasks.ts';

/** Below the minute after which many clients give up. */
const DEFAULT_SECONDS = 50;
const MAX_SECONDS = 300;

export interface WaitForTaskDeps {
  views: TaskViews;
  gatewayWaits: Pick<TaskWaits, 'untilEnd'>;
  openStreams: OpenStreams;
  reports: TaskReports;
  questions: TaskQuestions;
}

/** `wait_for_task`: ends with the state of the task, finished or not; the task continues when the wait ends. */
export const waitForTaskTool = ({
  views,
  gatewayWaits,
  openStreams,
  reports,
  questions,
}: WaitForTaskDeps): ServedTool =>
  defineServedTool({
    name: 'wait_for_task',
    title: 'Wait for a task',
    description:
      'Waits until a task is finished and answers with its result. If it is not finished after timeoutSeconds, answers with its state: call it again. Cancelling the call ends the wait only; use cancel_task to cancel the task.',
    hints: reads,
    scopes: readScopes,
    input: z.strictObject({
      id: taskIdSchema,
      timeoutSeconds: z
        .int()
        .min(1)
        .max(MAX_SECONDS)
        .default(DEFAULT_SECONDS)
        .meta({ description: 'The longest wait' }),
    }),
    output: taskStateSchema,
    run: async ({ id, timeoutSeconds }, { caller, signal, report, takesHandle, ask }) => {
      const before = await views.read(caller, id);
      if (before.finished) return views.answer(before);
      if (takesHandle) return { handle: id };
      const close = openStreams.open(caller.userId);
      // At once: the client may wait again as soon as its stream has ended.
      signal.addEventListener('abort', close, { once: true });
      const stopReports = report && reports.follow(before, report);
      const asking = ask && questions.follow(caller, id, ask);
      let task: StoredTask | undefined;
      try {
        task = await gatewayWaits.untilEnd(id, timeoutSeconds * 1000, signal);
        // A question that is open is not taken back from the person who is about to answer it.
        const answered = asking?.answered();
        const rest = MAX_SECONDS - timeoutSeconds;
        if (answered)
          task = await gatewayWaits.untilEnd(id, rest * 1000, AbortSignal.any([signal, answered]));
      } finally {
        stopReports?.();
        close();
        await asking?.close();
      }
      if (!task) throw new AppError('not_found', 'Task not found');
      const state = views.stateOf(toTask(task));
      return views.answer(state, state.finished ? undefined : 'Not finished yet. Call wait_for_task again.');
    },
  });
