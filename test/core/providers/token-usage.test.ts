import { describe, expect, it } from 'vitest';
import { toTokenUsage } from '../../../src/core/providers/token-usage.ts';

describe('the usage of a call', () => {
  it.each([
    ['all of it', [10, 5], { promptTokens: 10, completionTokens: 5, totalTokens: 15 }],
    ['a total of another sum', [10, 5, 99], { promptTokens: 10, completionTokens: 5, totalTokens: 15 }],
    ['the prompt alone', [10, Number.NaN, 10], { promptTokens: 10 }],
    ['the answer alone', [undefined, 5], { completionTokens: 5 }],
    ['the total alone', [undefined, undefined, 7], { totalTokens: 7 }],
    ['zeros', [0, 0], { promptTokens: 0, completionTokens: 0, totalTokens: 0 }],
    ['impossible figures', [-1, 1.5], {}],
    ['nothing', [undefined, undefined], {}],
  ])(
    'reports the usage that the vendor counted: %s',
    (_, [inputTokens, outputTokens, totalTokens], expected) => {
      expect(toTokenUsage({ inputTokens, outputTokens, totalTokens })).toEqual(expected);
    },
  );

  it('reports no usage where there is none', () => {
    expect(toTokenUsage(undefined)).toEqual({});
  });
});
