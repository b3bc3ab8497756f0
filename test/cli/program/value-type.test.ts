import { describe, expect, it } from 'vitest';
import { choice, decimal, wholeNumber } from '../../../src/cli/program/value-type.ts';

describe('choice', () => {
  const source = choice(['api', 'codehost', 'tracker_a'], {
    aliases: { codehost: 'github', tracker_a: 'jira' },
    isOpen: true,
  });

  it('a choice accepts display names and API names', () => {
    expect(source.parse('github')).toBe('codehost');
    expect(source.parse('codehost')).toBe('codehost');
    expect(source.parse('Jira')).toBe('tracker_a');
  });
  it('a choice shows display names', () => {
    expect(source.choices?.words.map(([word]) => word)).toEqual(['api', 'github', 'jira']);
  });
  it('an open choice accepts unknown words and lists', () => {
    expect(source.parse('github,api')).toBe('codehost,api');
    expect(source.parse('newer')).toBe('newer');
  });
  it('names the allowed choices or the closest one', () => {
    const status = choice(['active', 'paused']);
    expect(() => status.parse('gone')).toThrow('Allowed choices are active, paused.');
    expect(() => status.parse('actve')).toThrow('Did you mean active?');
  });
});

describe('numbers', () => {
  it('numbers are whole or decimal, and never negative', () => {
    expect(wholeNumber.parse('12')).toBe(12);
    expect(decimal.parse('.5')).toBe(0.5);
    expect(() => wholeNumber.parse('1.5')).toThrow('whole number');
    expect(() => decimal.parse('-1')).toThrow('number such as 0.5');
  });
});
