import { entropyToMnemonic, mnemonicToEntropy } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { parseSeed } from './identity-file.ts';

const WORDS = 24;
const PER_LINE = 6;

/** The seed as 24 words (BIP-39, English), in lines. */
export function formatSeed(seed: Uint8Array): string {
  const words = entropyToMnemonic(seed, wordlist).split(' ');
  const lines = Array.from({ length: WORDS / PER_LINE }, (_, at) =>
    words.slice(at * PER_LINE, (at + 1) * PER_LINE).join(' '),
  );
  return `${lines.join('\n')}\n`;
}

/** The seed that 24 words stand for, or what an identity file holds; never part of an error message. */
export function readSeed(text: string): Uint8Array {
  const digits = parseSeed(text);
  if (digits) return digits;
  const words = text.normalize('NFKD').toLowerCase().split(/\s+/).filter(Boolean);
  const unknown = words.flatMap((word, at) => (wordlist.includes(word) ? [] : [at + 1]));
  if (words.length !== WORDS)
    throw invalid(`An identity has ${WORDS} words, but ${words.length} were given.`);
  if (unknown.length > 0) throw invalid(`Not in the word list: number ${unknown.join(', ')}.`);
  try {
    return mnemonicToEntropy(words.join(' '), wordlist);
  } catch (error) {
    throw invalid('The checksum does not match: a word or the order is wrong.', error);
  }
}

/** The prompt for the words that are still missing; undefined once all are given. */
export function missingWords(text: string): string | undefined {
  const count = parseSeed(text) ? WORDS : text.split(/\s+/).filter(Boolean).length;
  if (count >= WORDS) return undefined;
  return count === WORDS - 1 ? `Word ${WORDS}: ` : `Words ${count + 1} to ${WORDS}: `;
}

const invalid = (message: string, cause?: unknown) =>
  new CliError(exitCodes.invalid, message, { next: 'Compare them with your backup.', cause });
