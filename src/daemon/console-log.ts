import type { Log } from '../core/log.ts';
import { messageOf } from '../core/errors.ts';

const levels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof levels)[number] | 'silent';

/** Log lines for a person at a terminal. */
export function consoleLog(level: LogLevel, write: (line: string) => void): Log {
  const lowest = level === 'silent' ? levels.length : levels.indexOf(level);
  const line = (name: string, fields: object, message: string) => {
    const details = Object.entries(fields).map(([key, value]) => `${key}=${show(value)}`);
    write(`${name.padEnd(5)} ${[message, ...details].join(' ')}`);
  };
  const at = (name: (typeof levels)[number]) => (fields: object, message: string) => {
    if (levels.indexOf(name) >= lowest) line(name, fields, message);
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

function show(value: unknown): string {
  if (value instanceof Error) return value.stack ?? messageOf(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}
