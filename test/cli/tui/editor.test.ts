import type { Key } from 'ink';
import { describe, expect, it } from 'vitest';
import { emptyEditor, type EditorState, textOf } from '../../../src/cli/tui/editor/editor-state.ts';
import { keyAction, splitKeys } from '../../../src/cli/tui/editor/key-action.ts';
import { editorWidth, renderEditor } from '../../../src/cli/tui/editor/render-editor.ts';
import { type EditorAction, reduceEditor } from '../../../src/cli/tui/editor/reduce-editor.ts';
import { lineText, lineWidth } from '../../../src/cli/tui/parts/line.ts';

type Move = Exclude<EditorAction['type'], 'insert' | 'paste' | 'replace' | 'complete' | 'up' | 'down'>;
const history = ['first', 'second\nline'];

/** Types text; words in angle brackets are actions. */
function type(text: string, state: EditorState = emptyEditor, width = 40): EditorState {
  return text.split(/(<[a-z-]+>)/).reduce((present, part) => {
    if (part === '') return present;
    const name = /^<(.*)>$/.exec(part)?.[1];
    if (name === 'up' || name === 'down') return reduceEditor(present, { type: name, width, history });
    return reduceEditor(present, name ? { type: name as Move } : { type: 'insert', text: part });
  }, state);
}

/** The text with the cursor as a bar. */
const shown = ({ atoms, cursor }: EditorState) =>
  `${textOf(atoms.slice(0, cursor))}|${textOf(atoms.slice(cursor))}`;

describe('reduceEditor', () => {
  it.each([
    ['abc<left><left>X', 'aX|bc'],
    ['one two<word-left>X', 'one X|two'],
    ['one two<word-left><word-left><word-right>', 'one| two'],
    ['a\nbc<line-start>X', 'a\nX|bc'],
    ['a\nbc<line-start><left><line-start>X<line-end>Y', 'XaY|\nbc'],
    ['日本👩‍💻<backspace>', '日本|'],
    ['abc<line-start><delete>', '|bc'],
    ['<backspace><delete><left>', '|'],
    ['one two <cut-word>', 'one |'],
    ['one two<line-start><cut-word-right>', '| two'],
    ['one two<word-left><cut-to-end>', 'one |'],
    ['a\nb<line-start><left><cut-to-end>', 'a|b'],
    ['one two<word-left><cut-to-start>', '|two'],
    ['one two<cut-word><line-start><put-back>', 'two|one '],
    ['abc<clear>', '|'],
    ['one\ntwo<up>', 'one|\ntwo'],
    ['one\ntwo<up><left><down>X', 'one\ntwX|o'],
    ['long line\nx\nlong line<up>', 'long line\nx|\nlong line'],
    ['draft<up>', 'second\nline|'],
    ['draft<up><up><up>', 'first|'],
    ['draft<up><up><up><up>', '|first'],
    ['draft<up><up><up><down><down>', 'draft|'],
    ['draft<up>!<down>', 'second\nline!|'],
  ])('typing %j gives %j', (typed, expected) => {
    expect(shown(type(typed))).toBe(expected);
  });

  it('keeps the cut text when a character is deleted', () => {
    expect(shown(type('one two<cut-word><backspace><put-back>'))).toBe('onetwo|');
  });

  it('combines an accent with the letter before it', () => {
    const state = type('u<left><right>\u0308');
    expect(state.atoms).toEqual([{ text: 'u\u0308' }]);
    expect(shown(type('<backspace>', state))).toBe('|');
  });

  it('moves between the rows of a wrapped line', () => {
    const state = type('aaa bbb ccc', emptyEditor, 9);
    expect(shown(type('<up>', state, 9))).toBe('aaa| bbb ccc');
    expect(shown(type('<up><down>', state, 9))).toBe('aaa bbb ccc|');
  });

  it('shows a long paste as one placeholder and sends all of it', () => {
    const pasted = Array.from({ length: 120 }, (_, at) => `row ${at}`).join('\r\n');
    const state = reduceEditor(type('See: '), { type: 'paste', text: pasted });
    expect(renderEditor(state, { width: 40, height: 5, hint: '' }).lines.map(lineText)).toEqual([
      '› See: [pasted 120 lines]',
    ]);
    expect(textOf(state.atoms)).toBe(`See: ${pasted.replaceAll('\r\n', '\n')}`);
    expect(shown(type('<backspace>', state))).toBe('See: |');
    expect(reduceEditor(emptyEditor, { type: 'paste', text: 'x'.repeat(900) }).atoms).toMatchObject([
      { label: '[pasted 900 characters]' },
    ]);
    expect(shown(reduceEditor(emptyEditor, { type: 'paste', text: 'a\rb' }))).toBe('a\nb|');
  });
});

describe('renderEditor', () => {
  const render = (state: EditorState, width: number, height: number) => {
    const { lines, cursor } = renderEditor(state, { width, height, hint: 'Write' });
    return { rows: lines.map(lineText), cursor, widest: Math.max(...lines.map(lineWidth)) };
  };

  it('an empty editor says how to start', () => {
    expect(render(emptyEditor, 20, 3)).toMatchObject({ rows: ['› Write'], cursor: { x: 2, y: 0 } });
  });

  it('wraps at blanks, counts wide characters double and leaves a column for the cursor', () => {
    const { rows, cursor, widest } = render(type('one two 日本語日本語 three'), 12, 9);
    expect(rows).toEqual(['› one two ', '  日本語日', '  本語 ', '  three']);
    expect(cursor).toEqual({ x: 7, y: 3 });
    expect(widest).toBeLessThan(12);
  });

  it('shows the rows around the cursor', () => {
    const state = type('1\n2\n3\n4\n5');
    expect(render(state, 20, 3)).toMatchObject({ rows: ['  3', '  4', '  5'], cursor: { x: 3, y: 2 } });
    const above = type('<up><up><up><up>', state);
    expect(render(above, 20, 3)).toMatchObject({ rows: ['› 1', '  2', '  3'], cursor: { x: 3, y: 0 } });
  });

  it('the editor escapes control characters', () => {
    expect(
      render(reduceEditor(emptyEditor, { type: 'paste', text: 'a\u001b[2J\u202e' }), 40, 3).rows,
    ).toEqual(['› a\\x1b[2J\\u{202e}']);
  });

  it('wraps at the width in which the cursor moves', () => {
    expect(editorWidth(20)).toBe(18);
  });
});

const noKey: Key = {
  upArrow: false,
  downArrow: false,
  leftArrow: false,
  rightArrow: false,
  pageDown: false,
  pageUp: false,
  home: false,
  end: false,
  return: false,
  escape: false,
  ctrl: false,
  shift: false,
  tab: false,
  backspace: false,
  delete: false,
  meta: false,
  super: false,
  hyper: false,
  capsLock: false,
  numLock: false,
};

describe('keyAction', () => {
  it.each<[string, Partial<Key>, EditorAction | undefined]>([
    ['a', {}, { type: 'insert', text: 'a' }],
    ['\r', { return: true, meta: true }, { type: 'insert', text: '\n' }],
    ['\n', {}, { type: 'insert', text: '\n' }],
    ['\r', { return: true }, undefined],
    ['a', { ctrl: true }, { type: 'line-start' }],
    ['e', { ctrl: true }, { type: 'line-end' }],
    ['k', { ctrl: true }, { type: 'cut-to-end' }],
    ['u', { ctrl: true }, { type: 'cut-to-start' }],
    ['w', { ctrl: true }, { type: 'cut-word' }],
    ['t', { ctrl: true }, undefined],
    ['b', { meta: true }, { type: 'word-left' }],
    ['x', { meta: true }, undefined],
    ['', { leftArrow: true }, { type: 'left' }],
    ['', { leftArrow: true, ctrl: true }, { type: 'word-left' }],
    ['', { rightArrow: true, meta: true }, { type: 'word-right' }],
    ['', { backspace: true }, { type: 'backspace' }],
    ['', { backspace: true, meta: true }, { type: 'cut-word' }],
    ['', { delete: true }, { type: 'delete' }],
    ['', { escape: true }, undefined],
  ])('reads the key %j with %j', (input, key, action) => {
    expect(keyAction(input, { ...noKey, ...key })).toEqual(action);
  });
});

describe('splitKeys', () => {
  const split = (input: string) =>
    splitKeys(input, noKey).map(([text, key]) => (key.return ? 'Enter' : key.ctrl ? `Ctrl+${text}` : text));

  it.each([
    ['word', ['word']],
    ['word\r', ['word', 'Enter']],
    ['a\u0001b', ['a', 'Ctrl+a', 'b']],
    ['one\rtwo\r', ['one', '\n', 'two', '\n']],
  ])('splits the input %j into keys', (input, keys) => {
    expect(split(input)).toEqual(keys);
  });
});
