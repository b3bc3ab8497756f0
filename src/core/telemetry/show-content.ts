import { MAX_TEXT } from './telemetry.ts';

/** Masks the secrets in any JSON. */
export type Mask = (value: unknown) => unknown;

/** Shows what was said as JSON, or a text as it is; without secrets and bytes. */
export const showContent =
  (mask: Mask) =>
  (value: unknown): string => {
    const masked = mask(readable(value));
    return typeof masked === 'string' ? masked : JSON.stringify(masked);
  };

function readable(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, MAX_TEXT);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.map(readable);
  if (typeof value !== 'object' || value === null) return value ?? null;
  if (value instanceof URL) return value.protocol === 'data:' ? '[data]' : value.href.slice(0, MAX_TEXT);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, readable(item)]));
}
