import { expect, it } from 'vitest';
import { findPosition } from '../../../src/cli/completion/find-position.ts';
import { loadNouns } from '../../../src/cli/program/program.ts';

const positionAfter = async (...words: string[]) => findPosition(await loadNouns(words), words);

it('the position before any word offers the nouns', async () => {
  const { command, commands } = await positionAfter();
  expect(command).toBeUndefined();
  expect(commands.map(({ name }) => name)).toContain('tasks');
});

it('the position follows nouns and verbs and skips the values of options', async () => {
  const { command } = await positionAfter('--url', 'tasks', 'auth', 'invites', 'rm');
  expect(command?.name).toBe('rm');
});

it('the position awaits the value of an option in short and long form', async () => {
  expect((await positionAfter('tasks', 'ls', '-s')).awaiting?.name).toBe('status');
  expect((await positionAfter('tasks', 'ls', '--status')).awaiting?.name).toBe('status');
  expect((await positionAfter('tasks', 'ls', '--json')).awaiting).toBeUndefined();
});

it('the position counts arguments and keeps their values', async () => {
  const { argumentCount, values } = await positionAfter('webhooks', 'redeliver', '0199');
  expect(argumentCount).toBe(1);
  expect(values.get('webhook')).toBe('0199');
});
