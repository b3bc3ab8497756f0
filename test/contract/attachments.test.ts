import { describe, expect, it } from 'vitest';
import { type Attachment, attach, countLines, splitAttachments } from '../../src/contract/attachments.ts';

const file: Attachment = { kind: 'file', name: 'src/a.ts', text: 'const a = 1;\n' };

describe('attachments', () => {
  it('adds each attachment as fenced text under its name', () => {
    expect(attach('Why?', [file, { kind: 'command', name: 'make', text: 'no rule' }])).toBe(
      'Why?\n\nAttached file: `src/a.ts`\n\n```ts\nconst a = 1;\n```\n\nOutput of the command: `make`\n\n```\nno rule\n```',
    );
  });

  it.each<[string, Attachment[]]>([
    ['no attachment', []],
    ['a file and a command', [file, { kind: 'command', name: 'ls', text: 'a\nb\n' }]],
    ['fences', [{ kind: 'file', name: 'a.md', text: '```ts\n````\nx\n````\n```\n' }, file]],
    ['a title inside of a file', [{ kind: 'file', name: 'a.md', text: attach('x', [file]) + '\n' }]],
    ['an empty file', [{ kind: 'file', name: 'empty', text: '' }]],
  ])('separates what was written from %s', (_, attachments) => {
    expect(splitAttachments(attach('Look\n\nhere', attachments))).toEqual({
      message: 'Look\n\nhere',
      attachments,
    });
  });

  it('leaves a message alone that only looks like it', () => {
    const message = 'a\n\nAttached file: `x`\n\n```\nnever closed';
    expect(splitAttachments(message)).toEqual({ message, attachments: [] });
  });

  it('counts lines', () => {
    expect(['', 'a', 'a\n', 'a\nb'].map(countLines)).toEqual(['0 lines', '1 line', '1 line', '2 lines']);
  });
});
