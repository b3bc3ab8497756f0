import { type ValueType, wholeNumber } from '../../program/value-type.ts';

const meanings = [
  ['1', 'critical'],
  ['2', 'high'],
  ['3', 'medium'],
  ['4', 'low'],
] as const;

/** The priority of a task; the daemon checks the range. */
export const priority: ValueType<number> = {
  ...wholeNumber,
  suggest: async () => meanings,
};

/** One or more priorities with commas between them. */
export const priorities: ValueType<string> = { parse: (word) => word, suggest: async () => meanings };
