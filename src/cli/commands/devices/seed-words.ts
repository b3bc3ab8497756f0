import { entropyToMnemonic, mnemonicToEntropy } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { parseSeed } from './identity-file.ts';

const WORDS = 24;
const PER_LINE = 6;

/** The seed as 24 words (BIP-39, English), in lines. */
export function spellSeed(seed: Uint8Array): string {
  const words = entropyToMnemonic(seed, wordlist).split(' ');
  const lines = Array.from({ length: WORDS / PER_LINE }, (_, at) =>
    words.slice(at * PER_LINE, (at + 1) * PER_LINE).join(' '),
  );
  return `${lines.join('\n')}\n`;
}

/** The seed that 24 words stand for, or what an identity file holds; the words themselves are told to nobody. */
export function readSeed(text: string): Uint8Array {
  const digits = parseSeed(text);
  if (digits) return digits;
  const words = text.normalize('NFKD').toLowerCase().split(/\s+/).filter(Boolean);
  const unknown = words.flatMap((word, at) => (wordlist.includes(word) ? [] : [at + 1]));
  if (words.length !== WORDS) throw invalid(`An identity has ${WORDS} words, and these are ${words.length}.`);
  if (unknown.length > 0) throw invalid(`Not in the list of words: number ${unknown.join(', ')}.`);
  try {
    return mnemonicToEntropy(words.join(' '), wordlist);
  } catch (error) {
    throw invalid('The last word does not fit the others: one of them is wrong, or their order.', error);
  }
}

/** What is still to be typed of the words, or undefined where they are all there. */
export function missingWords(text: string): string | undefined {
  const count = parseSeed(text) ? WORDS : text.split(/\s+/).filter(Boolean).length;
  if (count >= WORDS) return undefined;
  return count === WORDS - 1 ? `Word ${WORDS}: ` : `Words ${count + 1} to ${WORDS}: `;
}

const invalid = (message: string, cause?: unknown) =>
  new CliError(exitCodes.invalid, message, { next: 'Compare them with what was written down.', cause });
