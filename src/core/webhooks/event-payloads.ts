import { cutText } from '../text/cut-text.ts';
import type { TaskError, TaskEventType, TaskResult } from '../../contract/task.ts';
import type { DeliveredEvent, WebhookEvent } from '../../contract/webhooks.ts';
import type { TaskHappening } from '../tasks/task-outbox.ts';

/** The maximum length of an output in an event; the task has the full output. */
const MAX_OUTPUT = 65_536;

const webhookEvents: Partial<Record<TaskEventType, WebhookEvent>> = {
  created: 'task.created',
  started: 'agent.started',
  completed: 'task.completed',
  failed: 'task.failed',
  cancelled: 'task.cancelled',
};
/** Task events that finish an agent's run. */
const runFinished: ReadonlySet<TaskEventType> = new Set([
  'completed',
  'failed',
  'cancelled',
  'retry_scheduled',
]);

/** Maps a task event to webhook events, in order of occurrence. */
export function webhookEventsOf({ before, events }: TaskHappening): WebhookEvent[] {
  const found: WebhookEvent[] = [];
  const hadRun = before?.status === 'in_progress';
  for (const { type, data } of events) {
    if (hadRun && runFinished.has(type)) found.push('agent.finished');
    const event = webhookEvents[type];
    // Imported tasks are older than their row.
    if (event && !(type === 'created' && data?.['imported'] === true)) found.push(event);
  }
  return found;
}

/** The fields of an event as documented in the webhook guide. */
export function payloadOf(event: WebhookEvent, { task, before, output }: TaskHappening): object {
  const { id, title } = task;
  switch (event) {
    case 'task.created':
      // Matches the response to its creation, even if its status has changed since.
      return { id, title, status: 'pending', source: task.source };
    case 'task.completed': {
      const result = resultOf(task);
      return { id, title, result: result && shortened(result), duration: result?.duration };
    }
    case 'task.failed':
      return {
        id,
        title,
        error: task.error ? (JSON.parse(task.error) as TaskError) : null,
        attempts: task.attempts,
      };
    case 'task.cancelled':
      return { id, title };
    case 'agent.started':
      return { taskId: id, agentType: task.agent_type };
    case 'agent.finished':
      return {
        taskId: id,
        agentType: before?.agent_type,
        ...shortened({ output: output ?? resultOf(task)?.output ?? '' }),
      };
  }
}

/** The exact body of a delivery, identical for every attempt. */
export const deliveryBody = ({
  id,
  event,
  at,
  payload,
}: {
  id: string;
  event: DeliveredEvent;
  at: string;
  payload: object;
}): string => JSON.stringify({ id, event, timestamp: at, payload });

const resultOf = ({ result }: TaskHappening['task']): TaskResult | undefined =>
  result ? (JSON.parse(result) as TaskResult) : undefined;

function shortened<T extends { output: string }>(said: T): T | (T & { truncated: true }) {
  const { output } = said;
  if (output.length <= MAX_OUTPUT) return said;
  const kept = cutText(output, MAX_OUTPUT);
  const marker = `[… ${output.length - kept.length} more characters …]`;
  return { ...said, output: `${kept}\n${marker}`, truncated: true };
}
