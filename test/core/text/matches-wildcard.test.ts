import fc from 'fast-check';
import { expect, it } from 'vitest';
import { matchesWildcard } from '../../../src/core/text/matches-wildcard.ts';

it.each([
  ['openai/gpt-5', 'openai/gpt-5', true],
  ['openai/gpt-5', 'openai/*', true],
  ['openai/gpt-5', '*', true],
  ['openai/gpt-5', '*/gpt-*', true],
  ['openai/gpt-5', 'openai/gpt', false],
  ['openai/gpt-5', 'OPENAI/*', false],
  ['aa', 'a*a', true],
  ['a', 'a*a', false],
  ['a.b', 'a?b', false],
  ['', '*', true],
  ['', '', true],
])('%s matches %s: %s', (name, pattern, matches) => {
  expect(matchesWildcard(name, pattern)).toBe(matches);
});

it('agrees with a regular expression', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 });
  fc.assert(
    fc.property(text, text, (name, pattern) => {
      const expression = new RegExp(`^${pattern.split('*').join('.*')}$`, 's');
      expect(matchesWildcard(name, pattern)).toBe(expression.test(name));
    }),
  );
});
