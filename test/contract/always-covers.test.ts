import { expect, it } from 'vitest';
import { whyEachTime } from '../../src/contract/always-covers.ts';

it('says why a call needs an approval each time, and nothing where always covers something', () => {
  expect(whyEachTime('nothing: it publishes a commit')).toBe('it publishes a commit');
  expect(whyEachTime('npm test')).toBeUndefined();
});
