import type { TaskResult } from '../../contract/task.ts';
import type { NotifyDeliveryRow } from '../storage/rows/gateway.ts';
import { pushBody } from '../a2a/task-view.ts';
import { outcomeOf } from './gateway-answers.ts';
import type { EndedTask } from './notify-store.ts';

/** The exact body of a delivery, in the form that its receiver asked for. */
export const bodyOfDelivery = (delivery: NotifyDeliveryRow, task: EndedTask): string =>
  delivery.context_id === null
    ? notifyBody(delivery, task)
    : pushBody(task, { contextId: delivery.context_id, protocol: delivery.protocol });

/** The exact body that a notifyUrl receives when its task has finished, identical for every attempt. */
function notifyBody(delivery: Pick<NotifyDeliveryRow, 'id' | 'request_id'>, task: EndedTask): string {
  const duration = task.result === null ? undefined : (JSON.parse(task.result) as TaskResult).duration;
  return JSON.stringify({
    id: delivery.id,
    event: `task.${task.status}`,
    timestamp: task.completed_at,
    payload: {
      id: task.id,
      title: task.title,
      requestId: delivery.request_id,
      taskId: task.id,
      status: task.status,
      ...outcomeOf(task),
      ...(duration !== undefined && { duration }),
    },
  });
}
