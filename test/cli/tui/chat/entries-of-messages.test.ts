import { expect, it } from 'vitest';
import { entriesOfMessages } from '../../../../src/cli/tui/chat/entries-of-messages.ts';
import { messageOf } from '../scripted-daemon.ts';

const answer = messageOf('assistant', 'So far');
const lastOf = (change: Partial<typeof answer>) => entriesOfMessages([{ ...answer, ...change }]).at(-1);

it.each([
  [{ status: 'interrupted' as const }, 'Interrupted.'],
  [{ status: 'interrupted' as const, error: { code: 'CANCELLED', message: 'x' } }, 'Interrupted.'],
  [
    { status: 'interrupted' as const, error: { code: 'MAX_STEPS', message: 'Not finished within 5 steps' } },
    'Not finished within 5 steps. Send "continue" to let it go on.',
  ],
  [{ status: 'failed' as const }, 'The answer failed before it was complete.'],
  [
    { status: 'completed' as const, finishReason: 'max_round_trips' as const },
    'Stopped at the limit of tool round trips. Send "continue" to let it go on.',
  ],
])('says below an answer with %j how it ended', (change, text) => {
  expect(lastOf(change)).toMatchObject({ kind: 'note', text });
});

it('a message of a person has its id, and a complete answer nothing below it', () => {
  const said = messageOf('user', 'Hi');
  expect(entriesOfMessages([said])).toMatchObject([{ kind: 'person', messageId: said.id }]);
  expect(lastOf({ status: 'completed' })).toMatchObject({ kind: 'text' });
});
