import { MAX_TEXT } from './telemetry.ts';

/** Masks the secrets in any JSON. */
export type Mask = (value: unknown) => unknown;

/**
 * Shows what was said as JSON, or a text as it is; without secrets and bytes. Texts are cut once they are masked: half a
 * secret would not be recognized.
 */
export const showContent =
  (mask: Mask) =>
  (value: unknown): string => {
    const shown = cut(mask(readable(value)));
    return typeof shown === 'string' ? shown : JSON.stringify(shown);
  };

function readable(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.map(readable);
  if (typeof value !== 'object' || value === null) return value ?? null;
  if (value instanceof URL) return value.protocol === 'data:' ? '[data]' : value.href;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, readable(item)]));
}

/** The value with texts of at most the length that is exported. */
function cut(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, MAX_TEXT);
  if (Array.isArray(value)) return value.map(cut);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, cut(item)]));
}
