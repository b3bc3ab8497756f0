import { useSyncExternalStore } from 'react';
import { perReader } from './reader.ts';

const relative = perReader(
  ({ locale }) => new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'narrow' }),
);
const exact = perReader(
  ({ locale, timeZone }) =>
    new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium', timeZone }),
);
const units = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** One clock for all that counts on a page. */
const listeners = new Set<() => void>();
let timer: number | undefined;
let now = Date.now();
const subscribe = (listener: () => void) => {
  // It stood still while nothing counted.
  if (listeners.size === 0) now = Date.now();
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
};

/** The present moment in milliseconds, rounded down to a multiple of `everyMs`; renders again when that changes. */
export const useNow = (everyMs = 1000): number =>
  useSyncExternalStore(subscribe, () => Math.floor(Math.max(now, 0) / everyMs) * everyMs);

/** The moment in the language and time zone of the reader. */
export const formatExact = (at: string): string => exact().format(new Date(at));

/** "5 min. ago", "in 2 h"; the exact moment is the tooltip. */
export function Ago({ at }: { at: string }) {
  const seconds = (Date.parse(at) - useNow(20_000)) / 1000;
  const unit = units.find(([, size]) => Math.abs(seconds) >= size);
  return (
    <time dateTime={at} title={formatExact(at)}>
      {unit ? relative().format(Math.round(seconds / unit[1]), unit[0]) : 'just now'}
    </time>
  );
}

/** 850 ms, 12.4 s, 3 min 05 s, 2 h 14 min. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${pad(Math.floor((ms % 60_000) / 1000))} s`;
  return `${Math.floor(minutes / 60)} h ${pad(minutes % 60)} min`;
}

/** 9:41 for what counts down; from an hour on, as a duration. */
export function formatCountdown(ms: number): string {
  if (ms >= 3_600_000) return formatDuration(ms);
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${pad(seconds % 60)}`;
}

const pad = (value: number) => String(value).padStart(2, '0');
