import { escapeLine } from '../../output/escape-text.ts';
import { fitText } from '../../output/text-width.ts';
import type { ToolEntry } from './run-entry.ts';

type Arguments = ToolEntry['arguments'];

const LONGEST = 2000;

/** The arguments of a call on one line; several are shown with their names. */
export function formatArguments(args: Arguments): string {
  if (!isObject(args)) return args === null ? '' : oneLine(args);
  const values = Object.entries(args).filter(([, value]) => value !== null && value !== '');
  const [only] = values;
  if (only && values.length === 1) return oneLine(only[1]);
  return values.map(([name, value]) => `${escapeLine(name)}=${oneLine(value)}`).join('  ');
}

/** Each argument with its name, in full: text as it is, anything else as JSON. */
export function listArguments(args: Arguments): { name: string; text: string }[] {
  if (!isObject(args)) return args === null ? [] : [{ name: '', text: fullText(args) }];
  return Object.entries(args).map(([name, value]) => ({ name, text: fullText(value) }));
}

const isObject = (args: Arguments): args is Record<string, Arguments> =>
  typeof args === 'object' && args !== null && !Array.isArray(args);

const fullText = (value: Arguments) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));

/** What would be cut off anyway is not looked at. */
const oneLine = (value: Arguments) =>
  escapeLine(fitText((typeof value === 'string' ? value : JSON.stringify(value)).slice(0, LONGEST), LONGEST));
