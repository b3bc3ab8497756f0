import type { KeyRing } from '../secrets/key-ring.ts';
import type { Runtime } from '../runtime.ts';

/** 32 letters without the ambiguous 0, O, 1 and I. */
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const LETTERS = 12;

/** Twelve letters in groups of four, 60 bits. */
export function newCode(runtime: Runtime): string {
  const bytes = Buffer.from(runtime.newSecret(LETTERS), 'base64url');
  // 32 divides 256, so all letters are equally likely.
  return inGroups(Array.from(bytes, (byte) => ALPHABET[byte % ALPHABET.length]).join(''));
}

/** Normalizes a typed code to the form in which it was issued; undefined for text that cannot be one. */
export function parseCode(text: string): string | undefined {
  const letters = text.replace(/[\s\p{Pd}]/gu, '');
  if (!/^[2-9A-HJ-NP-Za-hj-np-z]{12}$/.test(letters)) return undefined;
  return inGroups(letters.toUpperCase());
}

/** Formats the code with spaces, to be read aloud. */
export const formatCode = (code: string): string => code.replaceAll('-', ' ');

/** The keyed hash that is stored of a code, so that the database alone does not allow brute force. */
export function hashCode(keyRing: KeyRing, text: string): string | undefined {
  const code = parseCode(text);
  return code === undefined ? undefined : keyRing.hmac('codes', code);
}

const inGroups = (letters: string) => (letters.match(/.{4}/g) ?? []).join('-');
