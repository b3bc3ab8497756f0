import { fileURLToPath } from 'node:url';
import { createElement } from 'react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ChatApp } from '../../../../src/cli/tui/chat/chat-app.tsx';
import { beginChat, reduceChat } from '../../../../src/cli/tui/chat/chat-state.ts';
import { findAndLoad, loadDefaults, openedEvent } from '../../../../src/cli/tui/chat/load-chat.ts';
import type { Connection } from '../../../../src/cli/connection/connection.ts';
import { httpFetch } from '../../../../src/cli/connection/http-fetch.ts';
import { createClient } from '../../../../src/contract/client.ts';
import { contract } from '../../../../src/contract/index.ts';
import { startDaemon, temporaryFolder, type TestDaemon } from '../../../helpers/daemon.ts';
import { keys, Rendered } from '../rendered.ts';

const script = fileURLToPath(new URL('../../../helpers/agents/scripted-acp.mjs', import.meta.url));

let daemon: TestDaemon;
let folder: string;
const screens: Rendered[] = [];
beforeEach(async () => {
  daemon = await startDaemon({
    flags: { 'agents.added': { toy: { program: process.execPath, args: [script], env: {} } } },
  });
  folder = temporaryFolder();
});
afterEach(async () => {
  for (const screen of screens.splice(0)) screen[Symbol.dispose]();
  await daemon[Symbol.asyncDispose]();
});

/** A terminal with the chat: on a conversation, or with an agent for the next one. */
async function terminal({ id, agent }: { id?: string; agent?: string }) {
  let time = Date.now();
  const { url, headers } = daemon;
  const client = createClient(contract, { baseUrl: url, fetch: httpFetch, headers });
  const connection: Connection = {
    client,
    decide: (approval, body) => client.approvals.decide({ params: { id: approval }, body }),
    target: { url, isLocal: true, isNamed: true },
    daemonVersion: undefined,
    credential: undefined,
    credentials: () => headers,
    fetch: httpFetch,
  };
  const opened = id === undefined ? undefined : await findAndLoad(client, id);
  const screen = new Rendered(
    createElement(ChatApp, {
      connection,
      opened,
      folder,
      home: '/home/ada',
      env: { SHELL: '/bin/sh' },
      history: { messages: [], add: () => undefined },
      formatError: String,
      now: () => time,
      initial: reduceChat(
        { ...beginChat({ isAgentic: false, mode: 'ask', agent }), agentVersion: agent && '1.2.3' },
        [await loadDefaults(client), ...(opened ? [openedEvent(opened)] : [])],
      ),
      message: undefined,
    }),
    { columns: 100, rows: 30 },
  );
  screens.push(screen);
  return {
    screen,
    /** What is typed right after a question came does not answer it. */
    letTimePass: () => {
      time += 1000;
    },
  };
}

describe('a chat with an agent', () => {
  it('says who answers and where, and begins a conversation with it', async () => {
    const { screen } = await terminal({ agent: 'toy' });
    const empty = await screen.until(/toy works in/);
    expect(empty.replaceAll(/\s+/g, ' ')).toContain('not in a copy');
    expect(empty).not.toContain('No model provider');
    expect(empty).toMatch(/ask · toy 1\.2\.3/);
    screen.type('hello\r');
    await screen.until(/done after/);
    const { conversations } = await daemon.client.conversations.list();
    expect(conversations).toMatchObject([{ agent: 'toy', cwd: folder, title: 'hello' }]);
  });

  it('is decided in one terminal and goes on in both', async () => {
    const body = { cwd: folder, agent: 'toy' };
    const { id } = (await daemon.client.conversations.create({ body })).conversation;
    const one = await terminal({ id });
    const other = await terminal({ id });
    await other.screen.until(/ask · toy/);
    one.screen.type('run touch made.txt\r');
    await one.screen.until(/Allow run_command/);
    await other.screen.until(/Allow run_command/);
    other.letTimePass();
    other.screen.type('a');
    for (const { screen } of [one, other]) expect(await screen.until(/done after/)).toContain('Done.');
  });

  it('is interrupted with Esc, and keeps what was said', async () => {
    const { screen } = await terminal({ agent: 'toy' });
    screen.type('hang\r');
    await screen.until(/Begun\./);
    screen.type(keys.escape);
    expect(await screen.until(/Interrupted\./)).toContain('Begun.');
    screen.type('hello\r');
    await screen.until(/done after/);
  });

  it.each([
    ['/model', /toy chooses its model/],
    ['/provider', /toy has its own provider/],
    ['/agentic', /toy works autonomously already/],
    ['/compact', /toy sums up its own session/],
    ['/diff', /toy changes files itself.*git diff/],
    ['/undo', /toy changes files itself.*git restore/],
  ])('says for %s what is left to the agent', async (command, expected) => {
    const { screen } = await terminal({ agent: 'toy' });
    screen.type(`${command}\r`);
    await screen.until(expected);
  });

  it('takes a model for the next answers of the agent', async () => {
    const { screen } = await terminal({ agent: 'toy' });
    screen.type('/model large\r');
    await screen.until(/toy 1\.2\.3 \(large\)/);
  });
});
