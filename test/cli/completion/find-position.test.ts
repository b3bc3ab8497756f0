import { expect, it } from 'vitest';
import { findPosition } from '../../../src/cli/completion/find-position.ts';
import { loadNouns } from '../../../src/cli/program/program.ts';

const positionAfter = async (...words: string[]) => findPosition(await loadNouns(words), words);

it('stands before the nouns at first', async () => {
  const { command, commands } = await positionAfter();
  expect(command).toBeUndefined();
  expect(commands.map(({ name }) => name)).toContain('tasks');
});

it('follows nouns and verbs and skips the values of options', async () => {
  const { command } = await positionAfter('--url', 'tasks', 'auth', 'invites', 'rm');
  expect(command?.name).toBe('rm');
});

it('waits for the value of an option, by either form', async () => {
  expect((await positionAfter('tasks', 'ls', '-s')).awaiting?.name).toBe('status');
  expect((await positionAfter('tasks', 'ls', '--status')).awaiting?.name).toBe('status');
  expect((await positionAfter('tasks', 'ls', '--json')).awaiting).toBeUndefined();
});

it('counts arguments and keeps what was given', async () => {
  const { argumentCount, values } = await positionAfter('webhooks', 'redeliver', '0199');
  expect(argumentCount).toBe(1);
  expect(values.get('webhook')).toBe('0199');
});
