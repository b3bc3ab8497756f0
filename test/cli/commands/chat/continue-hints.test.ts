import { expect, it } from 'vitest';
import { continueAsTaskHint } from '../../../../src/cli/commands/chat/continue-hints.ts';

it.each([
  [undefined, ''],
  ['/srv/app', ' --cwd /srv/app'],
  ["/srv/it's here", String.raw` --cwd '/srv/it'\''s here'`],
])('continues the work of a conversation in %s as a task', (cwd, option) => {
  expect(continueAsTaskHint({ id: 'conv_1', cwd })).toBe(
    `Continue as a task: svc chat export conv_1 | svc run${option} "Continue the work of this conversation"`,
  );
});
