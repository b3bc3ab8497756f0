import { escapeLine } from '../../output/escape-text.ts';
import type { Paint } from '../../output/output.ts';

const levels: Record<number, string> = { 20: 'debug', 30: 'info', 40: 'warn', 50: 'error', 60: 'fatal' };

/** Formats a JSON line of the log for people; any other line stays as it is. */
export function formatLogLine(line: string, paint: Paint): string {
  const entry = parseLogLine(line);
  if (!entry) return escapeLine(line);
  const { time, level, msg, pid: _pid, hostname: _host, ...fields } = entry;
  const name = levels[Number(level)] ?? String(level);
  const colour = name === 'error' || name === 'fatal' ? 'red' : name === 'warn' ? 'yellow' : 'dim';
  const details = Object.entries(fields).map(([key, value]) => `${key}=${formatField(value)}`);
  return [
    paint('dim', new Date(Number(time)).toLocaleTimeString('sv')),
    paint(colour, name.padEnd(5)),
    escapeLine([String(msg), ...details].join(' ')),
  ].join(' ');
}

function formatField(value: unknown): string {
  if (typeof value === 'string') return value;
  const { message } = (value ?? {}) as { message?: unknown };
  return typeof message === 'string' ? message : JSON.stringify(value);
}

/** The entry of a line; undefined where it is none. */
export function parseLogLine(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    // Cut off by a crash.
    return undefined;
  }
}
