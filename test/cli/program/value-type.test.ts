import { describe, expect, it } from 'vitest';
import { choice, decimal, wholeNumber } from '../../../src/cli/program/value-type.ts';

describe('choice', () => {
  const source = choice(['api', 'codehost', 'tracker_a'], {
    aliases: { codehost: 'github', tracker_a: 'jira' },
    isOpen: true,
  });

  it('accepts what people read and what the API says', () => {
    expect(source.parse('github')).toBe('codehost');
    expect(source.parse('codehost')).toBe('codehost');
    expect(source.parse('Jira')).toBe('tracker_a');
  });
  it('shows what people read', () => {
    expect(source.choices?.words.map(([word]) => word)).toEqual(['api', 'github', 'jira']);
  });
  it('passes other words and lists on where it is open', () => {
    expect(source.parse('github,api')).toBe('codehost,api');
    expect(source.parse('newer')).toBe('newer');
  });
  it('names the choices, or the one that was probably meant', () => {
    const status = choice(['active', 'paused']);
    expect(() => status.parse('gone')).toThrow('Allowed choices are active, paused.');
    expect(() => status.parse('actve')).toThrow('Did you mean active?');
  });
});

describe('numbers', () => {
  it('are whole or decimal, and never negative', () => {
    expect(wholeNumber.parse('12')).toBe(12);
    expect(decimal.parse('.5')).toBe(0.5);
    expect(() => wholeNumber.parse('1.5')).toThrow('whole number');
    expect(() => decimal.parse('-1')).toThrow('number such as 0.5');
  });
});
