import { expect, it } from 'vitest';
import {
  estimateTokens,
  lastTokens,
  newestThatFit,
  promptBudget,
} from '../../../src/core/text/token-estimate.ts';

it.each([
  ['', 0],
  ['a', 1],
  ['abcd', 1],
  ['abcde', 2],
  ['漢字かな', 4],
  ['漢字 and words', 5],
  ['한국어', 3],
  ['👍👍', 2],
])('estimates %j as %i tokens', (text, tokens) => {
  expect(estimateTokens(text)).toBe(tokens);
});

it.each([
  ['abcdefgh', 1, 'efgh'],
  ['abcd', 5, 'abcd'],
  ['漢字かな', 2, 'かな'],
  ['𠀀𠀀𠀀', 2, '𠀀𠀀'],
  ['abcd', 0, ''],
])('keeps the last part of %j within %i tokens', (text, tokens, end) => {
  expect(lastTokens(text, tokens)).toBe(end);
});

it.each([
  [12, ['b', 'c']],
  [10, ['b', 'c']],
  [9, ['c']],
  [0, ['c']],
  [15, ['a', 'b', 'c']],
])('keeps the newest messages that fit into %i tokens', (tokens, kept) => {
  const messages = ['a', 'b', 'c'].map((content) => ({ content }));
  expect(newestThatFit(messages, tokens).map(({ content }) => content)).toEqual(kept);
});

it.each([
  [undefined, 21_504],
  [4096, 2252],
  [200_000, 155_904],
])('leaves room for the answer in a context window of %s', (contextWindow, room) => {
  expect(promptBudget({ contextWindow })).toBe(room);
});
