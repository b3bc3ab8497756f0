import { expect, it } from 'vitest';
import { OpenStreams } from '../../../src/core/limits/open-streams.ts';

it('a user has so many streams, and another one as soon as one ends', () => {
  let max = 2;
  const streams = new OpenStreams(() => max);
  const first = streams.open('ann');
  streams.open('ann');
  const refused = expect.objectContaining({ code: 'rate_limited', retryAfterMs: 5000 });
  expect(() => streams.open('ann')).toThrow(refused);
  streams.open('bob');
  first();
  // Ended once, however often it is said.
  first();
  streams.open('ann');
  expect(() => streams.open('ann')).toThrow(refused);
  max = 3;
  streams.open('ann');
});
