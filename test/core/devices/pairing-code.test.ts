import { describe, expect, it } from 'vitest';
import { formatCode, newCode, parseCode } from '../../../src/core/devices/pairing-code.ts';
import { systemRuntime } from '../../../src/core/runtime.ts';

const letters = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';

describe('a pairing code', () => {
  it('a code has three groups of four equally likely, unambiguous letters', () => {
    const codes = Array.from({ length: 4000 }, () => newCode(systemRuntime));
    const counts = new Map<string, number>();
    for (const code of codes) {
      expect(code).toMatch(/^[2-9A-HJ-NP-Z]{4}(-[2-9A-HJ-NP-Z]{4}){2}$/);
      for (const letter of code.replaceAll('-', '')) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    }
    expect([...counts.keys()].sort().join('')).toBe(letters);
    expect(new Set(codes).size).toBe(4000);
    // 1500 expected; the standard deviation is 38.
    for (const count of counts.values()) expect(Math.abs(count - 1500)).toBeLessThan(7 * 38);
  });

  it.each([
    'K7QX-9M2P-TR4W',
    'K7QX9M2PTR4W',
    'k7qx-9m2p-tr4w',
    ' k7qx 9m2p tr4w\n',
    'K7QX–9M2P—TR4W',
    'K 7 Q X - 9M2P - TR4W',
  ])('accepts the code typed as %j', (text) => {
    expect(parseCode(text)).toBe('K7QX-9M2P-TR4W');
  });

  it.each([
    '',
    '-',
    'K7QX-9M2P-TR4',
    'K7QX-9M2P-TR4WW',
    'K7QX-9M2P-TR40',
    'K7QX_9M2P_TR4W',
    'ıſKX-9M2P-TR4W',
  ])('refuses %j as a code', (text) => expect(parseCode(text)).toBeUndefined());

  it('formats a code in groups for reading aloud', () => {
    expect(formatCode('K7QX-9M2P-TR4W')).toBe('K7QX 9M2P TR4W');
  });
});
