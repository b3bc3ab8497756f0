import type { KeyRing } from '../secrets/key-ring.ts';
import type { Runtime } from '../runtime.ts';

/** 32 letters, none of which looks like another: 0, O, 1 and I are missing. */
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const LETTERS = 12;

/** Twelve letters in groups of four, 60 bits. */
export function newCode(runtime: Runtime): string {
  const bytes = Buffer.from(runtime.newSecret(LETTERS), 'base64url');
  // 32 divides 256, so that each letter is as likely as another.
  return inGroups(Array.from(bytes, (byte) => ALPHABET[byte % ALPHABET.length]).join(''));
}

/** The code as it was given out, however a person typed it; undefined for what cannot be one. */
export function parseCode(text: string): string | undefined {
  const letters = text.replace(/[\s\p{Pd}]/gu, '');
  if (!/^[2-9A-HJ-NP-Za-hj-np-z]{12}$/.test(letters)) return undefined;
  return inGroups(letters.toUpperCase());
}

/** The code with spaces, as a person reads it aloud. */
export const formatCode = (code: string): string => code.replaceAll('-', ' ');

/** What is kept of a code; without the key nobody can try all codes on it. */
export function hashCode(keyRing: KeyRing, text: string): string | undefined {
  const code = parseCode(text);
  return code === undefined ? undefined : keyRing.hmac('codes', code);
}

const inGroups = (letters: string) => (letters.match(/.{4}/g) ?? []).join('-');
