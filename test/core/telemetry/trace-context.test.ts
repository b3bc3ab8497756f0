import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  formatTraceparent,
  parseTraceContext,
  traceHeaders,
} from '../../../src/core/telemetry/trace-context.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';
const valid = `00-${traceId}-${spanId}-01`;

it('reads a valid header, and writes it again', () => {
  const context = parseTraceContext(valid, 'vendor=1, other=a b');
  expect(context).toEqual({ traceId, spanId, isSampled: true, isRemote: true, state: 'vendor=1,other=a b' });
  expect(context && traceHeaders(context)).toEqual({ traceparent: valid, tracestate: 'vendor=1,other=a b' });
  expect(parseTraceContext(valid.replace(/01$/, '00'))?.isSampled).toBe(false);
});

it('reads a later version with more fields, and not this one', () => {
  expect(parseTraceContext(`cc-${traceId}-${spanId}-01-what-is-new`)).toMatchObject({ traceId });
  expect(parseTraceContext(`${valid}-more`)).toBeUndefined();
});

it.each([
  undefined,
  '',
  'ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  valid.toUpperCase(),
  `00-${'0'.repeat(32)}-${spanId}-01`,
  `00-${traceId}-${'0'.repeat(16)}-01`,
  `00-${traceId}-${spanId}-1`,
  `00-${traceId}-${spanId}`,
  ` ${valid}`,
  `${valid}\n`,
  `${valid},${valid}`,
])('ignores %j', (header) => {
  expect(parseTraceContext(header)).toBeUndefined();
});

it.each([
  'no-value',
  'Upper=1',
  'a=1\r\nx-evil: 1',
  'a=é',
  `a=${'x'.repeat(600)}`,
  Array.from({ length: 33 }, (_, n) => `k${n}=1`).join(),
])('keeps the trace and drops the state %j', (state) => {
  expect(parseTraceContext(valid, state)).toEqual({ traceId, spanId, isSampled: true, isRemote: true });
});

it('whatever it takes has the form of the specification, and nothing makes it throw', () => {
  const nearly = fc.stringMatching(/^[\da-f]{2}-[\da-f]{30,33}-[\da-f]{15,17}-[\da-f]{1,3}(-.{0,9})?$/);
  fc.assert(
    fc.property(fc.oneof(nearly, fc.string()), fc.string(), (header, state) => {
      const context = parseTraceContext(header, state);
      if (!context) return;
      expect(formatTraceparent(context)).toMatch(/^00-[\da-f]{32}-[\da-f]{16}-0[01]$/);
      expect(context.state ?? '').toMatch(/^[\x20-\x7e]*$/);
    }),
  );
});
