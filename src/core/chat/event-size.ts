import type { RunEvent } from '../../contract/run-events.ts';

/** Characters of an event beside its text. */
const FRAME = 100;

/** About how many characters an event has as JSON; those of pieces of text, which come by the thousand, are not serialized. */
export function sizeOfEvent(event: RunEvent): number {
  if (event.type === 'text:delta') return event.data.delta.length + FRAME;
  if (event.type === 'thinking:update') return event.data.text.length + FRAME;
  return JSON.stringify(event).length;
}
