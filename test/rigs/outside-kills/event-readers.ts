import { setTimeout as delay } from 'node:timers/promises';
import { readServerSentEvents } from '../../../src/contract/server-sent-events.ts';
import type { TaskEvent } from '../../../src/contract/task.ts';
import { type Caller, orBroken } from './caller.ts';
import type { ReaderLog } from './ledger.ts';

const PAUSE_MS = 120;
/** The events after which a task does not run. */
const stops: readonly string[] = ['completed', 'failed', 'cancelled', 'retry_scheduled', 'requeued'];

/** Reads the events of a task over as many connections as it takes, as a browser's EventSource does. */
export async function readEvents(
  caller: Caller,
  taskId: string,
  { signal, isForgetful = false }: { signal: AbortSignal; isForgetful?: boolean },
): Promise<ReaderLog> {
  const log: ReaderLog = { taskId, events: [], connections: 0, isDone: false };
  while (!signal.aborted && !log.isDone) {
    const last = isForgetful ? undefined : log.events.at(-1)?.id;
    await orBroken(() => readOnce(caller, log, last, signal), signal);
    // It would read the same events forever.
    if (isForgetful && log.connections > 1) break;
    if (!log.isDone) await delay(PAUSE_MS);
  }
  return log;
}

async function readOnce(
  caller: Caller,
  log: ReaderLog,
  last: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const path = `/api/tasks/${log.taskId}/events`;
  const headers = { accept: 'text/event-stream', ...(last !== undefined && { 'last-event-id': last }) };
  const response = await caller.open({ path, headers, expects: [200, 204] }, signal);
  if (response.status === 503) return response.body?.cancel();
  log.connections++;
  if (response.status === 204) log.isDone = true;
  else if (response.status !== 200 || !response.body) {
    caller.ledger.oddAnswers.push(`GET ${path}: ${response.status} ${await response.text()}`);
    log.isDone = true;
  } else
    for await (const event of readServerSentEvents<TaskEvent>(response.body)) {
      log.events.push(event);
      caller.ledger.progress++;
      if (event.data.type === 'started') caller.ledger.running.add(log.taskId);
      else if (stops.includes(event.data.type)) caller.ledger.running.delete(log.taskId);
    }
}
