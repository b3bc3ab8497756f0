import type { Key } from 'ink';
import type { EditorAction } from './reduce-editor.ts';

type Plain = Exclude<EditorAction['type'], 'insert' | 'paste' | 'replace' | 'complete' | 'up' | 'down'>;

const withControl: Record<string, Plain> = {
  a: 'line-start',
  e: 'line-end',
  b: 'left',
  f: 'right',
  k: 'cut-to-end',
  u: 'cut-to-start',
  w: 'cut-word',
  y: 'put-back',
  h: 'backspace',
};
const hasControl = /\p{Cc}/u;
const pieces = /\p{Cc}|\P{Cc}+/gu;
const withMeta: Record<string, Plain> = { b: 'word-left', f: 'word-right', d: 'cut-word-right' };

/**
 * The keys of what came at once: a person faster than the screen, or a program that types. Several lines are what
 * a terminal pasted that does not say so, and are not sent.
 */
export function splitKeys(input: string, key: Key): [input: string, key: Key][] {
  if (input.length < 2 || key.ctrl || key.meta || !hasControl.test(input)) return [[input, key]];
  const isPasted = /\r./s.test(input);
  return Array.from(input.matchAll(pieces), ([piece]): [string, Key] => {
    if (piece === '\r') return isPasted ? ['\n', key] : ['\r', { ...key, return: true }];
    if (piece === '\t') return ['', { ...key, tab: true }];
    if (piece === '\n' || !hasControl.test(piece)) return [piece, key];
    return [String.fromCharCode(piece.charCodeAt(0) + 96), { ...key, ctrl: true }];
  });
}

/** What a key does to the text; undefined for keys that are not the editor's. */
export function keyAction(input: string, key: Key): EditorAction | undefined {
  if (isNewline(input, key)) return { type: 'insert', text: '\n' };
  const type = plainAction(input, key);
  if (type) return { type };
  if (key.ctrl || key.meta || key.escape || key.tab || key.return || input === '') return undefined;
  return { type: 'insert', text: input };
}

/** Alt and Enter, or Ctrl and J. */
const isNewline = (input: string, key: Key) => (key.return && (key.meta || key.shift)) || input === '\n';

function plainAction(input: string, key: Key): Plain | undefined {
  if (key.leftArrow) return key.ctrl || key.meta ? 'word-left' : 'left';
  if (key.rightArrow) return key.ctrl || key.meta ? 'word-right' : 'right';
  if (key.home) return 'line-start';
  if (key.end) return 'line-end';
  if (key.backspace) return key.meta || key.ctrl ? 'cut-word' : 'backspace';
  if (key.delete) return 'delete';
  if (key.ctrl) return withControl[input];
  return key.meta ? withMeta[input] : undefined;
}
