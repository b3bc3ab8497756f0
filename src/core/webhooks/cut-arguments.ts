import { cutText } from '../text/cut-text.ts';

const MAX_TEXT = 2000;
const MAX_TOTAL = 16_000;
/** What a number, a bracket or a comma counts. */
const SMALL = 8;

/** Arguments that fit into an event: long texts are cut, and what comes after 16,000 characters is left out. */
export function cutArguments(args: Record<string, unknown>): {
  arguments: Record<string, unknown>;
  truncated?: true;
} {
  const room = { left: MAX_TOTAL, isCut: false };
  const kept = cutObject(args, room);
  return { arguments: kept, ...(room.isCut && { truncated: true as const }) };
}

interface Room {
  left: number;
  isCut: boolean;
}

function cutValue(value: unknown, room: Room): unknown {
  room.left -= SMALL;
  if (typeof value === 'string') return cutString(value, room);
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? cutArray(value, room) : cutObject(value as Record<string, unknown>, room);
}

function cutString(text: string, room: Room): string {
  const kept = cutText(text, Math.max(0, Math.min(MAX_TEXT, room.left)));
  room.left -= kept.length;
  if (kept.length >= text.length) return text;
  room.isCut = true;
  return `${kept}[… ${text.length - kept.length} more characters …]`;
}

function cutArray(items: unknown[], room: Room): unknown[] {
  const kept: unknown[] = [];
  for (const item of items) {
    if (room.left <= 0) break;
    kept.push(cutValue(item, room));
  }
  room.isCut ||= kept.length < items.length;
  return kept;
}

function cutObject(values: Record<string, unknown>, room: Room): Record<string, unknown> {
  const entries = Object.entries(values);
  const kept: [string, unknown][] = [];
  for (const [name, value] of entries) {
    room.left -= name.length;
    if (room.left <= 0) break;
    kept.push([name, cutValue(value, room)]);
  }
  room.isCut ||= kept.length < entries.length;
  return Object.fromEntries(kept);
}
