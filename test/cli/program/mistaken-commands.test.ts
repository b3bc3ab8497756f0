import { expect, it } from 'vitest';
import { chat } from '../../../src/cli/commands/chat.ts';
import { tasks } from '../../../src/cli/commands/tasks.ts';
import { withoutMistakenCommands } from '../../../src/cli/program/mistaken-commands.ts';

const hasCommands = (line: string, noun = chat) =>
  withoutMistakenCommands([noun], line.split(' ')).every(({ commands }) => commands.length > 0);

it.each([
  'chat',
  'chat --help',
  'chat ls',
  'chat ls --here --limit 5',
  'chat show 0199',
  'chat show conv_01a2079e-cd6d',
  'chat rm -y 0199 01a2',
  'chat export 0199 --format json',
  '--url http://127.0.0.1:9 chat ls',
])('svc %s is a command', (line) => {
  expect(hasCommands(line)).toBe(true);
});

it.each([
  'chat -- ls',
  'chat hello',
  'chat ls the files',
  'chat show me',
  'chat show 0199 01a2',
  'chat rm the old files',
  'chat export the data',
  'chat -c 0199 ls',
  'chat --plain ls',
])('svc %s is a message', (line) => {
  expect(hasCommands(line)).toBe(false);
});

it('leaves a noun without text of its own as it is', () => {
  expect(hasCommands('tasks what', tasks)).toBe(true);
});
