import { visibleLine } from '../../../contract/visible-text.ts';
import { fitText } from '../../output/text-width.ts';
import type { ToolEntry } from './run-entry.ts';

type Arguments = ToolEntry['arguments'];

const LONGEST = 2000;

/** The arguments of a call on one line; several are shown with their names. */
export function formatArguments(args: Arguments): string {
  if (!isObject(args)) return args === null ? '' : oneLine(args);
  const values = Object.entries(args).filter(([, value]) => value !== null && value !== '');
  const [only] = values;
  if (only && values.length === 1) return alone(oneLine(only[1]));
  return values.map(([name, value]) => `${plainName(name)}=${unmistakable(oneLine(value))}`).join('  ');
}

/** The name of an argument in quotes, so that it looks like no other row. */
export const argumentName = (name: string): string => visibleLine(JSON.stringify(name));

/** Each argument with its name, in full: text as it is, anything else as JSON. */
export function listArguments(args: Arguments): { name: string; text: string }[] {
  if (!isObject(args)) return args === null ? [] : [{ name: '', text: fullText(args) }];
  return Object.entries(args).map(([name, value]) => ({ name, text: fullText(value) }));
}

const isObject = (args: Arguments): args is Record<string, Arguments> =>
  typeof args === 'object' && args !== null && !Array.isArray(args);

const fullText = (value: Arguments) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));

/** The name of an argument, in quotes unless it is a plain word; for where such words are nothing else. */
export const plainName = (name: string) => (/^[\w.-]+$/.test(name) ? name : argumentName(name));

/** In quotes where it looks like several arguments. */
const alone = (value: string) => (/ {2}\S+=/.test(value) ? inQuotes(value) : value);

const inQuotes = (value: string) => `"${value.replaceAll('"', String.raw`\"`)}"`;

/** In quotes where it could be taken for the end of the value and another argument. */
const unmistakable = (value: string) => (/ {2}|=|^"/.test(value) ? inQuotes(value) : value);

/** What would be cut off anyway is not looked at. */
const oneLine = (value: Arguments) =>
  visibleLine(
    fitText((typeof value === 'string' ? value : JSON.stringify(value)).slice(0, LONGEST), LONGEST),
  );
