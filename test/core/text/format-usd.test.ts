import { expect, it } from 'vitest';
import { formatUsd } from '../../../src/core/text/format-usd.ts';

it.each([
  [0.5, '0.5'],
  [10, '10'],
  [100, '100'],
  [0.014022, '0.014022'],
  [0.1 + 0.2, '0.3'],
  [0, '0'],
])('formats %s as %s', (amount, text) => {
  expect(formatUsd(amount)).toBe(text);
});
