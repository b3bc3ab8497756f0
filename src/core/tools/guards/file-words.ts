import { basename } from 'node:path';

const SEARCHERS = ['grep', 'egrep', 'fgrep', 'rg', 'ag', 'ack'];
/** Flags without a value, or with it in the same word; with other flags the position of the expression is unknown. */
const PLAIN_SEARCH_FLAG =
  /^(?:-[nrRivwxolLhHcsqEFGPa]+|-[ABC]\d+|--(?:include|exclude|exclude-dir|color|colour)=.*|--(?:line-number|recursive|ignore-case|word-regexp|files-with-matches|count|hidden|fixed-strings|color))$/;
/** A sed address and command that read or write no other files. */
const PLAIN_SED = /^(?:\/[^/\\\s]*\/(?:,\/[^/\\\s]*\/)?)!?[pdq=]$/;
const IGNORED = /^--(?:exclude|exclude-dir|ignore|ignore-dir)=/;
const MESSAGE_FLAG = /^(?:-[as]*m|--message)$/;
const WITH_MESSAGE = ['commit', 'tag', 'merge', 'notes'];

/** The arguments of a command that may name a file: all but search expressions and messages. */
export function fileWords(argv: string[]): string[] {
  const program = basename(argv[0] ?? '');
  const words = argv.slice(1);
  if (program === 'echo' || program === 'printf') return [];
  const texts = textsOf(program, words);
  return words.filter((word, index) => !texts.has(index) && !IGNORED.test(word));
}

/** The indexes of the words that the program does not use as a file. */
function textsOf(program: string, words: string[]): Set<number> {
  if (SEARCHERS.includes(program)) return expressionOf(words, 0);
  if (program === 'git' && words[0] === 'grep') return expressionOf(words, 1);
  if (program === 'git' && WITH_MESSAGE.includes(words[0] ?? '')) return messagesOf(words);
  if (program === 'sed') return new Set(sedScript(words));
  return new Set();
}

function expressionOf(words: string[], start: number): Set<number> {
  const flags = words.slice(start).filter((word) => word.startsWith('-'));
  const isPlain = flags.every((flag) => PLAIN_SEARCH_FLAG.test(flag));
  const first = words.findIndex((word, index) => index >= start && !word.startsWith('-'));
  return new Set(isPlain && first >= 0 ? [first] : []);
}

function messagesOf(words: string[]): Set<number> {
  const texts = new Set<number>();
  for (const [index, word] of words.entries()) {
    if (word === '--') break;
    if (MESSAGE_FLAG.test(words[index - 1] ?? '') || word.startsWith('--message=')) texts.add(index);
  }
  return texts;
}

function sedScript(words: string[]): number[] {
  const first = words.findIndex((word) => !word.startsWith('-'));
  const isPlain = words.every((word) => !word.startsWith('-') || /^-[nErs]+$/.test(word));
  return isPlain && PLAIN_SED.test(words[first] ?? '') ? [first] : [];
}
