import type { Client } from '../../../src/contract/client.ts';
import { ApiError } from '../../../src/contract/client.ts';
import type { DeadLetter } from '../../../src/contract/dlq.ts';
import type { Notification } from '../../../src/contract/notifications.ts';
import type { Task, TaskEvent } from '../../../src/contract/task.ts';
import type { Ledger } from './ledger.ts';
import { backoffMs } from './settings.ts';
import { textOf, walkThrough } from './task-history.ts';

const PAGE = 500;

export interface Violation {
  what: string;
  taskId?: string;
  events?: TaskEvent[];
}

interface Told {
  letters: Map<string, DeadLetter[]>;
  notifications: Map<string, Notification[]>;
}

/** Holds the tasks that may have changed against their events, their dead letters and what was promised. */
export async function checkTasks(client: Client, ledger: Ledger): Promise<Violation[]> {
  const ids = new Set(ledger.touched);
  for (const task of await newestTasks(client, ledger)) ids.add(task);
  const told: Told = {
    letters: Map.groupBy(await allLetters(client), ({ taskId }) => taskId),
    notifications: Map.groupBy(await allNotifications(client), ({ taskId = '' }) => taskId),
  };
  const violations: Violation[] = [];
  for (const id of ids) {
    const fact = await readTask(client, id);
    if (!fact) {
      if (ledger.tasks.has(id)) violations.push({ what: 'I1: an acknowledged task is gone', taskId: id });
      continue;
    }
    const { task, events } = fact;
    for (const what of faultsOf(task, events, told, ledger)) violations.push({ what, taskId: id, events });
    if (!ledger.seen.has(id)) {
      ledger.takenUp += events.filter(({ data }) => data['crashes'] !== undefined).length;
      ledger.poisoned += events.filter(({ data }) => data['code'] === 'poison').length;
    }
    ledger.seen.add(id);
  }
  ledger.touched.clear();
  return violations;
}

function* faultsOf(task: Task, events: TaskEvent[], told: Told, ledger: Ledger): Generator<string> {
  const history = walkThrough(events, task, backoffMs);
  yield* history.faults;
  if (history.status !== task.status)
    yield `I5: the task is ${task.status}, its events say ${history.status ?? 'nothing'}`;
  if (history.attempts !== task.attempts)
    yield `I3: the task counts ${task.attempts} attempts, its events ${history.attempts}`;
  if (!['completed', 'failed', 'cancelled'].includes(task.status))
    yield `I1: the task did not end, it is ${task.status}`;
  if (task.status === 'completed' && !task.result?.success) yield 'I1: completed without a result';
  if (ledger.cancelled.has(task.id) && task.status !== 'cancelled')
    yield `I4: the cancel was acknowledged and the task is ${task.status}`;

  const letters = told.letters.get(task.id) ?? [];
  const expected = history.deadLetters.toSorted().join();
  if (
    letters
      .map(({ id }) => id)
      .toSorted()
      .join() !== expected
  )
    yield `I1: ${letters.length} dead letters, the events tell of ${history.deadLetters.length}`;
  for (const letter of letters) {
    const isRevived = history.revived.includes(letter.id);
    if ((letter.status === 'resolved') !== isRevived)
      yield `I1: dead letter ${letter.id} is ${letter.status}, the events say ${isRevived ? 'taken back' : 'not'}`;
    if (ledger.revived.has(letter.id) && !isRevived)
      yield `I1: the retry of dead letter ${letter.id} was acknowledged and did not happen`;
  }
  // Others tell of approvals.
  const notified = (told.notifications.get(task.id) ?? [])
    .filter(({ data }) => data['deadLetterId'] !== undefined)
    .map(({ data }) => textOf(data['deadLetterId']));
  if (notified.toSorted().join() !== expected)
    yield `I11: ${notified.length} notifications for ${history.deadLetters.length} dead letters`;
}

async function readTask(
  client: Client,
  id: string,
): Promise<{ task: Task; events: TaskEvent[] } | undefined> {
  try {
    const { task } = await client.tasks.get({ params: { id } });
    const { events } = await client.tasks.listEvents({ params: { id }, query: { limit: 5000 } });
    return { task, events };
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

/** Tasks since the last check, those that nobody was told of among them. */
async function newestTasks(client: Client, ledger: Ledger): Promise<string[]> {
  const fresh: string[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const { tasks } = await client.tasks.list({ query: { limit: PAGE, offset, fields: 'id' } });
    const unseen = tasks.map(({ id }) => id).filter((id) => !ledger.seen.has(id));
    fresh.push(...unseen);
    if (unseen.length < PAGE) return fresh;
  }
}

async function allLetters(client: Client): Promise<DeadLetter[]> {
  const all: DeadLetter[] = [];
  for (;;) {
    const { items } = await client.dlq.list({ query: { status: 'all', limit: PAGE, offset: all.length } });
    all.push(...items);
    if (items.length < PAGE) return all;
  }
}

async function allNotifications(client: Client): Promise<Notification[]> {
  const all: Notification[] = [];
  for (;;) {
    const { notifications } = await client.notifications.list({ query: { limit: PAGE, offset: all.length } });
    all.push(...notifications);
    if (notifications.length < PAGE) return all;
  }
}
