import { expect, it } from 'vitest';
import { samplerOf } from '../../../src/core/telemetry/sampler.ts';

const parent = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled: true };
const ids = Array.from(
  { length: 1000 },
  (_, n) => `${'0'.repeat(18)}${(n * 16 ** 11 * 4.5).toString(16).split('.')[0]?.padStart(14, '0')}`,
);
const share = (name: string, ratio: number) =>
  ids.filter((id) => samplerOf(name, ratio)?.(id, undefined)).length / ids.length;

it('a ratio samples about that share of traces, and those of a smaller one too', () => {
  expect(share('traceidratio', 1)).toBe(1);
  expect(share('traceidratio', 0)).toBe(0);
  const few = samplerOf('traceidratio', 0.1);
  const many = samplerOf('traceidratio', 0.6);
  for (const id of ids) if (few?.(id, undefined)) expect(many?.(id, undefined)).toBe(true);
});

it('a parent decides where the sampler is based on it', () => {
  expect(samplerOf('parentbased_always_off', 1)?.('1', parent)).toBe(true);
  expect(samplerOf('parentbased_always_on', 1)?.('1', { ...parent, isSampled: false })).toBe(false);
  expect(samplerOf('always_off', 1)?.('1', parent)).toBe(false);
});

it.each(['', 'parentbased_', 'jaeger_remote', 'constructor', 'parentbased_toString'])(
  'does not know %j',
  (name) => {
    expect(samplerOf(name, 1)).toBeUndefined();
  },
);
