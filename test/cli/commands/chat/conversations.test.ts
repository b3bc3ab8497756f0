import { realpathSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../helpers/daemon.ts';
import { callsTools, type ModelServer, startModelServer } from '../../../helpers/model-server.ts';
import { ensureBuilt, hasTerminals, outcomeOf, said, SvcHome } from '../../svc-binary.ts';

let home: SvcHome;
let model: ModelServer;
let here: string;
let there: string;
beforeAll(async () => {
  ensureBuilt();
  home = await SvcHome.create();
  model = await startModelServer(
    callsTools([[{ name: 'list_directory', args: { path: '.' } }]], 'Nothing is here.'),
  );
  // Not below the home of svc, which its own tools may not read.
  [here, there] = [realpathSync(temporaryFolder()), realpathSync(temporaryFolder())];
  const env = ['providers.ollama.baseUrl', model.url, 'providers.ollama.defaultModel', 'test-model'];
  await home.svc(['config', 'set', ...env.slice(0, 2)]);
  await home.svc(['config', 'set', ...env.slice(2)]);
  await home.svc(['daemon', 'start']);
});
afterAll(async () => {
  await home[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
  for (const folder of [here, there]) rmSync(folder, { recursive: true });
});

const chat = (words: string[], cwd = here) => home.svc(['chat', ...words], { cwd });
const idIn = (stderr: string) => /svc chat -c (conv_[0-9a-f-]+)/.exec(stderr)?.[1] ?? '';
/** What the model was asked last by a user. */
const lastAsked = () =>
  model.asked
    .at(-1)
    ?.body.messages.filter(({ role }) => role === 'user')
    .map(({ content }) => content);

describe('conversations on the command line', () => {
  it('-c without an ID continues the last conversation of this directory', async () => {
    const none = await chat(['Hello', '-c']);
    expect(none).toMatchObject({ code: 5, stdout: '' });
    expect(none.stderr).toContain(`There is no conversation in ${here} yet. Choose one: svc chat ls`);
    const first = idIn((await chat(['What is here?'])).stderr);
    await chat(['Elsewhere'], there);
    const again = await chat(['And now?', '-c']);
    expect(again).toMatchObject({ code: 0, stdout: 'Nothing is here.\n' });
    expect(idIn(again.stderr)).toBe(first);
    expect(lastAsked()).toEqual(['What is here?', 'And now?']);
    expect(idIn((await chat(['-c', 'and later on?'])).stderr)).toBe(first);
    expect(lastAsked()).toEqual(['What is here?', 'And now?', 'and later on?']);
  });

  it('says that a conversation works in another directory', async () => {
    const id = (await chat(['ls', '--quiet', '--here'])).stdout.trim();
    const { code, stderr } = await chat(['-c', id, 'Hello'], there);
    expect(code).toBe(0);
    expect(stderr).toContain(`! This conversation works in ${here}.`);
  });

  it('ls lists conversations with their directories, --here those of this one', async () => {
    const all = await chat(['ls']);
    expect(all.code).toBe(0);
    expect(all.stdout).toMatch(/^ID +AGE +MESSAGES +TITLE +DIRECTORY\n/);
    expect(all.stdout).toContain(here);
    expect(all.stdout).toContain(there);
    const one = await chat(['ls', '--here']);
    expect(one.stdout).toContain(here);
    expect(one.stdout).not.toContain(there);
    expect((await chat(['ls', '--limit', '1'])).stderr).toContain('1 of 2. More: --limit, --offset');
  });

  it('show and export print the transcript with its tool calls', async () => {
    const id = (await chat(['ls', '-q', '--here'])).stdout.trim();
    const shown = await chat(['show', id.slice(0, 30)]);
    expect(shown.stdout).toMatch(
      /^# What is here\?\n\nConversation conv_[^]*## You\n\nWhat is here\?\n\n## Assistant \(test-model\)\n\n- ✓ `list_directory \{"path":"\."\}`\n\nNothing is here\.\n/,
    );
    expect((await chat(['export', id])).stdout).toMatch(/- ✓ `list_directory \{"path":"\."\}`\n\n```\n/);
    expect(JSON.parse((await chat(['export', id, '--format', 'json'])).stdout)).toMatchObject({
      version: '1',
      conversation: { id, cwd: here },
      messages: [
        { role: 'user' },
        { status: 'completed', toolCalls: [{ name: 'list_directory' }] },
        {},
        {},
        {},
        {},
        {},
        {},
      ],
    });
  });

  it('sends a word that is also a command as a message', async () => {
    const answer = await chat(['--', 'ls']);
    expect(answer).toMatchObject({ code: 0, stdout: 'Nothing is here.\n' });
    expect(lastAsked()).toEqual(['ls']);
  });

  it('rm deletes a conversation once it is confirmed', async () => {
    const id = idIn((await chat(['Delete me'])).stderr);
    const refused = await chat(['rm', id]);
    expect(refused).toMatchObject({ code: 9, stderr: expect.stringContaining('--yes') as string });
    expect(await chat(['rm', '-y', id])).toMatchObject({
      code: 0,
      stderr: 'Deleted "Delete me" with 2 messages.\n',
    });
    expect(await chat(['show', id])).toMatchObject({ code: 5 });
  });
});

it.skipIf(!hasTerminals)('asks on a terminal before it continues in another directory', async () => {
  const id = idIn((await chat(['Here'])).stderr);
  const ask = async (answer: string) => {
    const running = home.startOnTerminal(['chat', '--plain', '-c', id, 'Hello']);
    await said(running, 'stdout', /Continue it there\? \[y\/N\]/);
    running.stdin?.write(answer);
    return outcomeOf(await running);
  };
  const refused = await ask('n\r');
  expect(refused.code).toBe(3);
  expect(refused.stdout).toContain('The conversation was not continued.');
  expect((await ask('y\r')).stdout).toContain('Nothing is here.');
});
