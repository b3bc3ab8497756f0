import { z } from 'zod';
import { safeParse } from '../../contract/safe-parse.ts';
import type { CoreEvents } from '../events.ts';
import type { TaskHead } from '../storage/rows/tasks.ts';

/** A message of so many characters takes no further event. */
const MAX_MESSAGE = 256 * 1024;
/** An event that is larger is not sent; the others get a gap instead. */
const MAX_EVENT = 1024 * 1024;

/** The event of the task at this place in the message, or another one by its name. */
type SentEvent = [task: number, event: unknown] | [name: string, payload: unknown];

const messageSchema = z.object({
  v: z.literal(3),
  from: z.string(),
  columns: z.array(z.string()),
  // What is in them is not looked at one by one: there are many.
  tasks: z.array(z.custom<unknown[]>(Array.isArray)),
  events: z.array(z.custom<SentEvent>(Array.isArray)),
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
export const openingOf = (daemonId: string): string => `{"v":3,"from":${JSON.stringify(daemonId)},`;

/**
 * As few messages as hold the events. Most events are of tasks, so a message names the columns of tasks once, without those
 * that none of them has, and has each state of a task once; what a row has beside the columns is not sent.
 */
export function packEvents(
  events: readonly OutgoingEvent[],
  { daemonId, columns }: { daemonId: string; columns: readonly (keyof TaskHead)[] },
): string[] {
  const opening = openingOf(daemonId);
  const messages: OutgoingMessage[] = [];
  for (const event of events) {
    let message = messages.at(-1);
    if (!message || message.characters > MAX_MESSAGE) messages.push((message = new OutgoingMessage(columns)));
    message.add(event);
  }
  return messages.map((message) => `${opening}${message.rest()}`);
}

class OutgoingMessage {
  /** Those of its values and events. */
  characters = 0;
  readonly #events: string[] = [];
  readonly #places = new Map<TaskHead, number>();
  readonly #columns: readonly (keyof TaskHead)[];
  readonly #used = new Set<keyof TaskHead>();

  constructor(columns: readonly (keyof TaskHead)[]) {
    this.#columns = columns;
  }

  add({ json, task }: OutgoingEvent): void {
    const event = task ? `[${this.#placeOf(task)},${json}]` : json;
    this.#events.push(event);
    this.characters += event.length;
  }

  /** All but the opening. */
  rest(): string {
    const used = [...this.#used];
    const rows = [...this.#places.keys()].map((task) => used.map((column) => task[column]));
    return `"columns":${JSON.stringify(used)},"tasks":${JSON.stringify(rows)},"events":[${this.#events.join(',')}]}`;
  }

  #placeOf(task: TaskHead): number {
    const known = this.#places.get(task);
    if (known !== undefined) return known;
    const place = this.#places.size;
    this.#places.set(task, place);
    for (const column of this.#columns) {
      const value = task[column];
      if (value === null) continue;
      this.#used.add(column);
      this.characters += String(value).length;
    }
    return place;
  }
}

/** The events of a message as names with payloads; none for what no daemon of this version has sent. */
export function unpackEvents(
  text: string,
  columns: readonly (keyof TaskHead)[],
): [name: string, payload: unknown][] {
  const { data } = safeParse(messageSchema, parse(text));
  if (!data) return [];
  const empty = Object.fromEntries(columns.map((column) => [column, null]));
  const tasks = data.tasks.map((values) => {
    const task: Record<string, unknown> = { ...empty };
    for (const [place, column] of data.columns.entries()) task[column] = values[place];
    return task;
  });
  return data.events.map(([what, payload]) =>
    typeof what === 'number' ? ['task', { task: tasks[what], event: payload }] : [what, payload ?? undefined],
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Other programs may publish in this Redis.
    return undefined;
  }
}
