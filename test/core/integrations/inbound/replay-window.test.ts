import { expect, it } from 'vitest';
import { outsideWindow } from '../../../../src/core/integrations/inbound/replay-window.ts';

const now = new Date('2026-11-22T10:00:00.000Z');
const signedAt = (webhookTimestamp: unknown) => outsideWindow('linear', { webhookTimestamp }, now);
const MINUTE = 60_000;

it('accepts deliveries that Linear signed within five minutes of our clock', () => {
  for (const offset of [0, -1, 1, -5 * MINUTE, 5 * MINUTE])
    expect(signedAt(now.getTime() + offset)).toBeUndefined();
  expect(signedAt(now.getTime() - 5 * MINUTE - 1)).toBe(
    'The webhook was signed 6 minutes ago; up to 5 are taken',
  );
  expect(signedAt(now.getTime() + 60 * MINUTE)).toBe(
    'The webhook was signed 60 minutes ahead of now; up to 5 are taken',
  );
  expect(signedAt(1e300)).toMatch('ahead of now');
});

it('refuses an invalid timestamp', () => {
  for (const value of ['1716141329394', true, {}, [], Number.NaN, Number.POSITIVE_INFINITY])
    expect(signedAt(value)).toBe('The webhookTimestamp is not a timestamp');
});

it('accepts old Linear payloads without a timestamp', () => {
  expect(signedAt(null)).toBeUndefined();
  expect(outsideWindow('linear', {}, now)).toBeUndefined();
});

it('does not check timestamps of other vendors', () => {
  expect(outsideWindow('github', { webhookTimestamp: 0 }, now)).toBeUndefined();
  expect(outsideWindow('jira', { timestamp: 0, webhookTimestamp: 0 }, now)).toBeUndefined();
});
