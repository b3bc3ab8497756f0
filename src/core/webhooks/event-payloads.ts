import { cutText } from '../text/cut-text.ts';
import type { TaskError, TaskEventType, TaskResult } from '../../contract/task.ts';
import { waitEventTypes } from '../../contract/wait-events.ts';
import type { DeliveredEvent, WebhookEvent } from '../../contract/webhooks.ts';
import type { NewEvent } from '../tasks/new-event.ts';
import type { TaskHappening } from '../tasks/task-outbox.ts';

/** The maximum length of an output in an event; the task has the full output. */
const MAX_OUTPUT = 65_536;

/** A webhook event with its fields as documented in the webhook guide. */
export interface TaskWebhookEvent {
  event: WebhookEvent;
  payload: object;
}
type Payload = (happening: TaskHappening, event: NewEvent) => object;

const waitPayload: Payload = ({ task }, { message, data }) => ({
  ...titled(task),
  reason: data?.['waitsFor'],
  message,
  until: data?.['at'],
});

const payloads: Partial<Record<TaskEventType, [event: WebhookEvent, payload: Payload]>> = {
  // Matches the response to its creation, even if its status has changed since.
  created: ['task.created', ({ task }) => ({ ...titled(task), status: 'pending', source: task.source })],
  started: ['agent.started', ({ task }) => ({ taskId: task.id, agentType: task.agent_type })],
  completed: [
    'task.completed',
    ({ task }) => {
      const result = resultOf(task);
      return {
        ...titled(task),
        result: result && shortened(result),
        duration: result?.duration,
        ...(result?.verified !== undefined && { verified: result.verified }),
      };
    },
  ],
  failed: [
    'task.failed',
    ({ task }) => ({
      ...titled(task),
      error: task.error ? (JSON.parse(task.error) as TaskError) : null,
      attempts: task.attempts,
      ...claimOf(resultOf(task)),
    }),
  ],
  cancelled: ['task.cancelled', ({ task }) => titled(task)],
  waiting_for_agent: [
    'task.waiting',
    ({ task }, { message }) => ({ ...titled(task), reason: 'agent', message, until: null }),
  ],
  retry_scheduled: ['task.waiting', waitPayload],
  deferred: ['task.waiting', waitPayload],
};

/** Task events that finish an agent's run. */
const runFinished: ReadonlySet<TaskEventType> = new Set([
  'completed',
  'failed',
  'cancelled',
  ...waitEventTypes,
]);

/** Maps a change of a task to webhook events, in order of occurrence; `wanted` are those that have a subscriber. */
export function webhookEventsOf(
  happening: TaskHappening,
  wanted: (event: WebhookEvent) => boolean,
): TaskWebhookEvent[] {
  const { before, events } = happening;
  const found: TaskWebhookEvent[] = [];
  const hadRun = before?.status === 'in_progress';
  for (const each of events) {
    if (hadRun && runFinished.has(each.type) && wanted('agent.finished'))
      found.push({ event: 'agent.finished', payload: finishedRun(happening) });
    const known = payloads[each.type];
    if (!known || !wanted(known[0]) || !isNews(each)) continue;
    const [event, payload] = known;
    found.push({ event, payload: payload(happening, each) });
  }
  return found;
}

/** Imported tasks are older than their row, and a wait is reported once, not at each retry. */
function isNews({ type, data }: NewEvent): boolean {
  if (type === 'created') return data?.['imported'] !== true;
  return type !== 'retry_scheduled' || data?.['isNewWait'] === true;
}

const titled = ({ id, title }: TaskHappening['task']) => ({ id, title });

const finishedRun = ({ task, before, output }: TaskHappening) => ({
  taskId: task.id,
  agentType: before?.agent_type,
  ...shortened({ output: output ?? resultOf(task)?.output ?? '' }),
});

/** The stored body of a delivery, identical for every attempt. */
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

/** What the agent claimed to have done, of work that did not pass its verification. */
const claimOf = (result: TaskResult | undefined) =>
  result?.verified === false ? { verified: false, claimed: shortened({ output: result.output }).output } : {};

function shortened<T extends { output: string }>(said: T): T | (T & { truncated: true }) {
  const { output } = said;
  if (output.length <= MAX_OUTPUT) return said;
  const kept = cutText(output, MAX_OUTPUT);
  const marker = `[… ${output.length - kept.length} more characters …]`;
  return { ...said, output: `${kept}\n${marker}`, truncated: true };
}
