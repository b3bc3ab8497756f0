import { z } from 'zod';
import { safeParse } from '../../contract/safe-parse.ts';
import type { CoreEvents } from '../events.ts';
import type { TaskHead } from '../storage/rows/tasks.ts';

/** A message of so many characters takes no further event. */
const MAX_MESSAGE = 256 * 1024;
/** An event that is larger is not sent; the others get a gap instead. */
const MAX_EVENT = 1024 * 1024;

/** `task` is the place of the task in the message. */
const taskEvent = z.object({ task: z.int(), event: z.unknown() });

const messageSchema = z.object({
  v: z.literal(2),
  from: z.string(),
  columns: z.array(z.string()),
  // What is in it is not looked at one by one: there are many.
  tasks: z.array(z.custom<unknown[]>(Array.isArray)),
  events: z.array(z.union([taskEvent, z.tuple([z.string(), z.unknown()])])),
});

/** An event on its way, as JSON; that of a task without the task, which a message has once for all its events. */
export interface OutgoingEvent {
  json: string;
  task?: TaskHead;
}

/** Tells the others that events are missing. */
export const gap: OutgoingEvent = { json: '["gap",null]' };

/** An event as it travels; one that is too large is a gap. */
export function outgoing<K extends keyof CoreEvents>(name: K, payload: CoreEvents[K]): OutgoingEvent {
  const { task, event } = name === 'task' ? (payload as CoreEvents['task']) : {};
  const json = JSON.stringify(task ? event : [name, payload]);
  if (json.length > MAX_EVENT) return gap;
  return task ? { json, task } : { json };
}

/** How every message of a daemon begins. */
export const openingOf = (daemonId: string): string => `{"v":2,"from":${JSON.stringify(daemonId)},`;

/**
 * As few messages as hold the events. Most events are of tasks, so a message names the columns of tasks once, and has each
 * state of a task once; what a row has beside the columns is not sent.
 */
export function packEvents(
  events: readonly OutgoingEvent[],
  { daemonId, columns }: { daemonId: string; columns: readonly (keyof TaskHead)[] },
): string[] {
  const opening = `${openingOf(daemonId)}"columns":${JSON.stringify(columns)},"tasks":[`;
  const messages: OutgoingMessage[] = [];
  for (const event of events) {
    let message = messages.at(-1);
    if (!message || message.characters > MAX_MESSAGE) messages.push((message = new OutgoingMessage(columns)));
    message.add(event);
  }
  return messages.map(
    ({ tasks, events: json }) => `${opening}${tasks.join(',')}],"events":[${json.join(',')}]}`,
  );
}

class OutgoingMessage {
  readonly tasks: string[] = [];
  readonly events: string[] = [];
  characters = 0;
  readonly #columns: readonly (keyof TaskHead)[];
  readonly #places = new Map<TaskHead, number>();

  constructor(columns: readonly (keyof TaskHead)[]) {
    this.#columns = columns;
  }

  add({ json, task }: OutgoingEvent): void {
    const event = task ? `{"task":${this.#placeOf(task)},"event":${json}}` : json;
    this.events.push(event);
    this.characters += event.length;
  }

  #placeOf(task: TaskHead): number {
    const known = this.#places.get(task);
    if (known !== undefined) return known;
    const place = this.tasks.length;
    const row = JSON.stringify(this.#columns.map((column) => task[column]));
    this.tasks.push(row);
    this.characters += row.length;
    this.#places.set(task, place);
    return place;
  }
}

/** The events of a message as names with payloads; none for what no daemon of this version has sent. */
export function unpackEvents(text: string): [name: string, payload: unknown][] {
  const { data } = safeParse(messageSchema, parse(text));
  if (!data) return [];
  const { columns, events } = data;
  const tasks = data.tasks.map((values) => {
    const task: Record<string, unknown> = {};
    for (const [place, column] of columns.entries()) task[column] = values[place];
    return task;
  });
  return events.map((each) => {
    if (Array.isArray(each)) return [each[0], each[1] ?? undefined];
    return ['task', { task: tasks[each.task], event: each.event }];
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Other programs may publish in this Redis.
    return undefined;
  }
}
