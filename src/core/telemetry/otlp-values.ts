import { version } from '../version.ts';
import type { AttributeValue } from './telemetry.ts';

/** The JSON form of OTLP: 64-bit integers are decimal strings, and enumerations numbers. */
export interface KeyValue {
  key: string;
  value: Record<string, unknown>;
}

export const toKeyValues = (attributes: Iterable<readonly [string, AttributeValue]>): KeyValue[] =>
  [...attributes].map(([key, value]) => ({ key, value: toAnyValue(value) }));

function toAnyValue(value: AttributeValue): Record<string, unknown> {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map((text) => ({ stringValue: text })) } };
}

/** Epoch milliseconds, with fractions, as nanoseconds. */
export function toNanos(ms: number): string {
  const whole = Math.floor(ms);
  return `${whole}${String(Math.floor((ms - whole) * 1e6)).padStart(6, '0')}`;
}

export const scope = { name: 'svc', version };

/** Who sends it. */
export const toResource = (attributes: Record<string, string>) => ({
  attributes: toKeyValues(
    Object.entries({
      'service.version': version,
      ...attributes,
      'telemetry.sdk.language': 'nodejs',
      'telemetry.sdk.name': 'svc',
      'telemetry.sdk.version': version,
    }),
  ),
});
