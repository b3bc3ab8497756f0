import { describe, expect, it } from 'vitest';
import { isRelevant } from '../../../../src/core/chat/recall/is-relevant.ts';

/** Without a score and with few candidates only the words decide. */
const holds = (word: string, text: string) => isRelevant([word], { text, score: 0 }, 1);

describe('isRelevant', () => {
  it.each([
    ['login', 'The Login fails'],
    ['tests', 'one test'],
    ['running', 'it runs and is running'],
    ['running', 'runn'],
    ['deploy', 'deploying'],
    ['colour', 'all colours'],
    ['cats', 'a cat'],
    ['id', 'the userId'],
    ['文字', '日本語の文字'],
  ])('finds %s relevant in: %s', (word, text) => expect(holds(word, text)).toBe(true));

  it.each([
    ['tests', 'a tent'],
    ['id', 'ids'],
    ['cat', 'car'],
    ['cats', 'care'],
    ['inform', 'informational'],
    ['login', ''],
  ])('does not find %s relevant in: %s', (word, text) => expect(holds(word, text)).toBe(false));

  it('counts a repeated word once', () => {
    const found = { text: 'word words wordy', score: 0 };
    expect(isRelevant(['word', 'other', 'another'], found, 1)).toBe(false);
    expect(isRelevant(['word', 'wordy', 'another'], found, 1)).toBe(true);
  });

  it('reads only the first 8,000 characters', () => {
    const filling = (length: number) => 'x '.repeat(length / 2);
    expect(holds('login', `${filling(7994)} login`)).toBe(true);
    expect(holds('login', `${filling(8000)} login`)).toBe(false);
  });
});
