import { basename } from 'node:path';
import { isReadOnly } from '../commands/read-only-commands.ts';
import { isPlainSedScript } from '../commands/sed-script.ts';

const SEARCHERS = ['grep', 'egrep', 'fgrep', 'rg', 'ag', 'ack'];
/** Flags without a value, or with it in the same word; with other flags the position of the expression is unknown. */
const PLAIN_SEARCH_FLAG =
  /^(?:-[nrRivwxolLhHcsqEFGPa]+|-[ABC]\d+|--(?:include|exclude|exclude-dir|color|colour)=.*|--(?:line-number|recursive|ignore-case|word-regexp|files-with-matches|count|hidden|fixed-strings|color))$/;
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
  if (program === 'jq')
    return whenReadOnly(argvOf(program, words), scriptAt(words, /^--(?:arg|argjson|slurpfile|rawfile)$/, 2));
  if (/^[gmn]?awk$/.test(program) && !words.some((word) => /ARGV|SYMTAB/.test(word)))
    return whenReadOnly(argvOf(program, words), scriptAt(words, /^-[Fv]$/, 1));
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

const argvOf = (program: string, words: string[]) => [program, ...words];

/** The script of a program is no file, if the program only reads and names no file in the script. */
const whenReadOnly = (argv: string[], script: number) =>
  new Set(script >= 0 && isReadOnly(argv) ? [script] : []);

/** The first word that is neither an option nor one of the values that follow an option. */
function scriptAt(words: string[], withValues: RegExp, values: number): number {
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (withValues.test(word)) at += values;
    else if (!word.startsWith('-')) return at;
  }
  return -1;
}

/** Which words of a plain script could be paths is of no interest: it opens no file. */
function sedScript(words: string[]): number[] {
  if (!words.every((word) => !word.startsWith('-') || /^-[nErsuz]*e?$/.test(word))) return [];
  const named = words.flatMap((word, at) => (/^-[nErsuz]*e$/.test(word) ? [at + 1] : []));
  const scripts = named.length > 0 ? named : [words.findIndex((word) => !word.startsWith('-'))];
  return scripts.filter((at) => isPlainSedScript(words[at] ?? ''));
}
