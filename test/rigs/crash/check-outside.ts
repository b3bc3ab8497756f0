import { hash } from 'node:crypto';
import type { WebhookEvent } from '../../../src/contract/webhooks.ts';
import type { SentIssue } from './issue-sender.ts';
import type { OutsideRows, StoredDelivery, StoredEvent, Stretch } from './outside-rows.ts';
import { hooks, type WebhookReceiver } from './webhook-receiver.ts';

const telling: Readonly<Record<string, WebhookEvent>> = {
  created: 'task.created',
  started: 'agent.started',
  completed: 'task.completed',
  failed: 'task.failed',
  cancelled: 'task.cancelled',
};
const endsRun: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled', 'retry_scheduled']);

/** What webhooks have to be told of events that begin and end while no task runs, by task. */
export function tellingsOf(events: StoredEvent[]): Map<string, WebhookEvent[]> {
  const told = new Map<string, WebhookEvent[]>();
  const running = new Set<string>();
  for (const { taskId, type } of events) {
    const own = told.get(taskId) ?? [];
    told.set(taskId, own);
    if (running.has(taskId) && endsRun.has(type)) own.push('agent.finished');
    const event = telling[type];
    if (event) own.push(event);
    if (type === 'started') running.add(taskId);
    else if (endsRun.has(type) || type === 'requeued') running.delete(taskId);
  }
  return told;
}

/** I6: what the webhooks were told in a stretch of time is what happened in it, each of it once in the rows and all of it sent. */
export function* checkDeliveries(
  rows: OutsideRows,
  receiver: WebhookReceiver,
  hookIds: ReadonlyMap<string, string>,
  stretch: Stretch,
): Generator<string> {
  const told = tellingsOf(rows.events(stretch));
  const deliveries = rows.deliveries(stretch);
  const stored = Map.groupBy(deliveries, ({ hookId, taskId }) => `${hookId} ${taskId}`);
  for (const [hook, hookId] of hookIds) {
    const wanted = new Set(hooks[hook]);
    for (const [taskId, events] of told) {
      const expected = events.filter((event) => wanted.has(event)).join(', ');
      const found = (stored.get(`${hookId} ${taskId}`) ?? []).map(({ event }) => event).join(', ');
      if (found !== expected)
        yield `I6: of ${taskId}, ${hook} has to be told: ${expected}; there is: ${found || 'nothing'}`;
      stored.delete(`${hookId} ${taskId}`);
    }
  }
  for (const [of, strays] of stored) yield `I6: ${strays.length} deliveries of nothing that happened: ${of}`;
  for (const delivery of deliveries) yield* checkSent(delivery, receiver, hookIds);
}

function* checkSent(
  { id, hookId, event, body, status, recorded }: StoredDelivery,
  receiver: WebhookReceiver,
  hookIds: ReadonlyMap<string, string>,
): Generator<string> {
  if (status !== 'delivered') yield `I6: ${id} is ${status}`;
  const seen = receiver.seen.get(id);
  if (!seen) return yield `I6: ${id} (${event}) is ${status} and was never sent`;
  if (seen.bodyHash !== hash('sha256', body) || seen.event !== event || hookIds.get(seen.hook) !== hookId)
    yield `I6: ${id} is not what was sent`;
  // Only the death of a daemon may take away what is known of an attempt.
  if (seen.requests < recorded || seen.requests > recorded + seen.lives.size)
    yield `I6: ${id} was sent ${seen.requests} times by ${seen.lives.size} daemons, of which ${recorded} are recorded`;
}

/** Deliveries that the daemon sends to one webhook at the same time, at most. */
const PARALLEL = 8;

/** What came was promised by a row, and the counts of a webhook are those of its attempts. */
export function* checkHooks(
  rows: OutsideRows,
  receiver: WebhookReceiver,
  hookIds: ReadonlyMap<string, string>,
): Generator<string> {
  yield* receiver.faults.splice(0);
  for (const id of receiver.touched)
    if (!rows.hasDelivery(id)) yield `I6: ${id} was sent and is nowhere stored`;
  receiver.touched.clear();
  for (const [hook, id] of hookIds) {
    const { delivered, failed, taken, refused, gone, told } = rows.hookCounts(id);
    if (delivered !== taken || failed !== refused)
      yield `I12: ${hook} counts ${delivered} and ${failed} attempts, there are ${taken} and ${refused}`;
    // Answers that arrive together end one active period of the webhook, which its owner is notified of once.
    if (told > gone || told * PARALLEL < gone)
      yield `I11: ${hook} was given up ${gone} times, its owner was told ${told} times`;
  }
}

/** What was sent to us made one task, whatever a crash cut off. */
export function* checkIssue(
  rows: OutsideRows,
  { sourceId, sends, answers, open }: SentIssue,
): Generator<string> {
  const tasks = rows.tasksOf(sourceId);
  const [task] = tasks;
  if (tasks.length !== 1) yield `I6: ${sourceId} was sent ${sends} times and made ${tasks.length} tasks`;
  const named = new Set(answers.map(({ taskId }) => taskId));
  if (named.size > 1 || !named.has(task))
    yield `I6: the answers to ${sourceId} name ${[...named].join(', ')}, its task is ${task ?? 'none'}`;
  const accepted = answers.filter(({ status }) => status === 'accepted').length;
  if (accepted > 1) yield `I6: ${sourceId} was accepted ${accepted} times`;
  if (open.size > 0) yield `I6: ${sourceId} was not answered`;
  const entries = rows.inboundOf(sourceId);
  const [entry] = entries;
  if (!entry || entries.length > 1) return yield `I6: ${sourceId} has ${entries.length} entries in the log`;
  if (entry.status !== 'accepted' || entry.taskId !== task)
    yield `I6: the entry of ${sourceId} is ${entry.status} and names ${entry.taskId}, its task is ${task ?? 'none'}`;
  if (entry.copies < answers.length || entry.copies > sends)
    yield `I6: ${sourceId} came ${entry.copies} times, ${sends} were sent and ${answers.length} answered`;
}
