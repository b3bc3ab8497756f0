import { expect, it } from 'vitest';
import type { ChatMessage } from '../../../src/contract/chat.ts';
import { toPrompt } from '../../../src/core/providers/prompt.ts';

const said = (text: string): ChatMessage[] =>
  text.split(' ').map((word) => {
    const [letter, content = ''] = word.split(':');
    return { role: letter === 'u' ? 'user' : letter === 'a' ? 'assistant' : 'system', content };
  });

it.each([
  ['u:1', '', 'u:1'],
  ['s:x u:1', 'p\n\nx', 'u:1'],
  ['u:1 a:2 u:3', 'p', 'u:1 a:2 u:3'],
  ['u:1 u:2 a:3 a:4', 'p', 'u:1\n\n2 a:3\n\n4'],
  ['u:1 s:x u:2 s:y', 'p\n\nx\n\ny', 'u:1\n\n2'],
  ['u:1 a: u:2', '', 'u:1\n\n2'],
])('converts %j to instructions and turns', (messages, instructions, turns) => {
  const prompt = toPrompt(instructions.startsWith('p') ? ['p'] : [], said(messages));
  expect(prompt.instructions).toBe(instructions);
  expect(prompt.turns.map(({ role, content }) => `${role[0]}:${content}`).join(' ')).toBe(turns);
});

it('requires a message that is not empty', () => {
  expect(() => toPrompt(['p'], said('u: s:x'))).toThrow('Expected a message that is not empty');
});
