import { describe, expect, it } from 'vitest';
import { editDraft, editorOf } from '../../../src/cli/input/edit-draft.ts';

describe('editDraft', () => {
  it('resolves with what the editor saved', async () => {
    expect(await editDraft('first', 'printf "\\nsecond\\n" >>')).toBe('first\nsecond');
  });

  it('throws when the editor fails', async () => {
    await expect(editDraft('first', 'false')).rejects.toThrow('"false" failed. Set EDITOR');
  });
});

describe('editorOf', () => {
  it.each([
    [{ VISUAL: 'code --wait', EDITOR: 'nano' }, 'code --wait'],
    [{ VISUAL: '', EDITOR: 'nano' }, 'nano'],
    [{}, 'vi'],
  ])('of %j is %s', (env, editor) => expect(editorOf(env)).toBe(editor));
});
