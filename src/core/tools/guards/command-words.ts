import { basename } from 'node:path';

const SEARCHERS = ['grep', 'egrep', 'fgrep', 'rg', 'ag', 'ack'];
/** Flags without a value, or with it in the same word: with others nobody knows which word is the expression. */
const PLAIN_SEARCH_FLAG =
  /^(?:-[nrRivwxolLhHcsqEFGPa]+|-[ABC]\d+|--(?:include|exclude|exclude-dir|color|colour)=.*|--(?:line-number|recursive|ignore-case|word-regexp|files-with-matches|count|hidden|fixed-strings|color))$/;
/** An address and what to do there, nothing that reads or writes other files. */
const PLAIN_SED = /^(?:\/[^/\\\s]*\/(?:,\/[^/\\\s]*\/)?)!?[pdq=]$/;
const IGNORED = /^--(?:exclude|exclude-dir|ignore|ignore-dir)=/;
const MESSAGE_FLAG = /^(?:-[as]*m|--message)$/;
const WITH_MESSAGE = ['commit', 'tag', 'merge', 'notes'];

/** The words of a command, without its program, that may name a file: not the expression of a search, or a message. */
export function fileWords(argv: string[]): string[] {
  const program = basename(argv[0] ?? '');
  const words = argv.slice(1);
  if (program === 'echo' || program === 'printf') return [];
  const texts = textsOf(program, words);
  return words.filter((word, index) => !texts.has(index) && !IGNORED.test(word));
}

/** Where the words are that no program takes for a file. */
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
