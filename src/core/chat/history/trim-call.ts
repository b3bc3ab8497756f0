import type { ToolCall } from '../../../contract/conversations.ts';

/** Characters of a tool result of an earlier turn that a model sees again. */
const RESULT = 8000;
/** Characters of all results of one earlier answer, so that a long one leaves room for others. */
const ANSWER = 60_000;
/** A result is never cut to less than this. */
const SHORTEST = 400;
/** An argument is allowed this share of what a result is. */
const ARGUMENT_SHARE = 4;
const MAX_DEPTH = 5;

/** The characters of each result that a model sees again, by the number of calls of the answer. */
export const resultLimit = (calls: number): number =>
  Math.max(SHORTEST, Math.min(RESULT, Math.floor(ANSWER / Math.max(1, calls))));

/** The beginning and the end of a text, with a mark where it was cut; the end of a fence stays in place. */
export function trimText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const tail = Math.floor(limit / 4);
  const left = text.length - limit;
  const mark = `\n[… ${left} of ${text.length} characters left out; call the tool again if they are needed …]\n`;
  return `${text.slice(0, limit - tail)}${mark}${text.slice(text.length - tail)}`.toWellFormed();
}

/** The arguments of a call as an object, which every vendor accepts, with long texts cut. */
export function trimArguments(args: ToolCall['arguments'], limit: number): Record<string, unknown> {
  const most = Math.max(SHORTEST, Math.floor(limit / ARGUMENT_SHARE));
  const isObject = typeof args === 'object' && args !== null && !Array.isArray(args);
  const trimmed = trimValue(isObject ? args : { input: args }, most, MAX_DEPTH) as Record<string, unknown>;
  const { length } = JSON.stringify(trimmed);
  return length <= limit ? trimmed : { omitted: `${length} characters of arguments` };
}

function trimValue(value: unknown, limit: number, depth: number): unknown {
  if (typeof value === 'string') return trimText(value, limit);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return '[…]';
  if (Array.isArray(value)) return value.map((each) => trimValue(each, limit, depth - 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, trimValue(each, limit, depth - 1)]),
  );
}
