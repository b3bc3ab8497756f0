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
import { callsTools, type ModelServer, startModelServer, useModel } from '../../../helpers/model-server.ts';
import { keys, Rendered } from '../rendered.ts';

let daemon: TestDaemon;
let model: ModelServer;
let folder: string;
let id: string;
const screens: Rendered[] = [];
beforeEach(async () => {
  model = await startModelServer();
  daemon = await startDaemon();
  await useModel(daemon, model);
  folder = temporaryFolder();
  id = (await daemon.client.conversations.create({ body: { cwd: folder } })).conversation.id;
});
afterEach(async () => {
  for (const screen of screens.splice(0)) screen[Symbol.dispose]();
  await daemon[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

/** A terminal with the chat, on the daemon that is running. */
async function terminal(): Promise<{ screen: Rendered; letTimePass: () => void }> {
  let time = Date.now();
  const { url, headers } = daemon;
  // The address stays that of the first daemon, also for one that was started again.
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
  const opened = await findAndLoad(client, id);
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
      initial: reduceChat(beginChat({ isAgentic: false, mode: 'ask' }), [
        await loadDefaults(client),
        openedEvent(opened),
      ]),
    }),
    { columns: 90, rows: 30 },
  );
  screens.push(screen);
  await screen.until(/Write a message/);
  return { screen, letTimePass: () => void (time += 1000) };
}

const write = [{ name: 'write_file', args: { path: 'a.txt', content: 'a' } }];

describe('two terminals with one conversation', () => {
  it('show the same answer as it streams, and either can interrupt it', async () => {
    const [{ screen: first }, { screen: second }] = [await terminal(), await terminal()];
    model.script = (reply) => reply.piece('The door is');
    first.type('Where?\r');
    await first.until(/The door is/);
    expect(await second.until(/The door is/)).toMatch(/› Where\?[^]*● writing/);
    second.type(keys.escape);
    expect(await second.until(/stopped after/)).toContain('· Interrupted.');
    expect(await first.until(/stopped after/)).toContain('· Interrupted.');
    model.script = (reply) => {
      reply.piece('On the left');
      reply.end();
    };
    second.type('Again\r');
    await second.until(/On the left[^]*done after/);
    expect(await first.until(/On the left[^]*done after/)).toContain('› Again');
  });

  it('ask about the same approvals, and a decision in one removes them in the other', async () => {
    const [a, b] = [await terminal(), await terminal()];
    model.script = callsTools([[...write, { name: 'write_file', args: { path: 'b.txt', content: 'b' } }]]);
    a.screen.type('Write\r');
    await a.screen.until(/Allow write_file\?.* 2 wait/);
    await b.screen.until(/Allow write_file\?.* 2 wait/);
    b.letTimePass();
    b.screen.type('a');
    await b.screen.until(/Allow write_file\?(?!.* wait)/);
    await a.screen.until(/Allow write_file\?(?!.* wait)/);
    a.letTimePass();
    a.screen.type('a');
    await a.screen.until(/done after/);
    expect(await b.screen.until(/done after/)).toMatch(/✓ write_file[^]*✓ write_file/);
  });

  it('show that the conversation was compacted', async () => {
    const [{ screen: first }, { screen: second }] = [await terminal(), await terminal()];
    first.type('Hi\r');
    await second.until(/Hello[^]*done after/);
    await first.until(/done after/);
    first.type('/compact\r');
    for (const screen of [first, second])
      expect((await screen.until(/Compacted: /)).match(/Compacted: /g)).toHaveLength(1);
    first.type('More\r');
    for (const screen of [first, second])
      expect(await screen.until(/› More[^]*done after/)).toMatch(/› Hi[^]*Compacted: [^]*› More/);
    second.type('/compact\r');
    await second.until(/Compacted: [^]*Compacted: /);
    second.type('/compact\r');
    await second.until(/There is nothing to compact: no messages came after the last summary/);
  });

  it('a message that is written in the other one is queued, and sent after the answer', async () => {
    const [{ screen: first }, { screen: second }] = [await terminal(), await terminal()];
    const goOn = Promise.withResolvers<void>();
    model.script = async (reply, { body }) => {
      const said = body.messages.at(-1)?.content;
      reply.piece(`To ${typeof said === 'string' ? said : 'you'}`);
      await goOn.promise;
      reply.end();
    };
    first.type('one\r');
    await second.until(/To one/);
    second.type('two\r');
    await second.until(/queued +two/);
    expect(model.asked).toHaveLength(1);
    goOn.resolve();
    await first.until(/To one[^]*› two[^]*To two[^]*done after/);
    await second.until(/To one[^]*› two[^]*To two[^]*done after/);
  });
});

describe('a terminal whose daemon is started again', () => {
  it('asks about the open approval again, and shows the rest of the answer as it streams', async () => {
    const { screen, letTimePass } = await terminal();
    const goOn = Promise.withResolvers<void>();
    model.script = async (reply, asked) => {
      if (asked.body.messages.at(-1)?.role !== 'tool') return callsTools([write])(reply, asked);
      reply.piece('It is written');
      await goOn.promise;
      reply.end();
    };
    screen.type('Write\r');
    await screen.until(/Allow write_file\?/);
    const { home } = daemon;
    const port = Number(new URL(daemon.url).port);
    await daemon.stop();
    await screen.until(/Reconnecting…/);
    daemon = await startDaemon({ home, flags: { 'server.port': port } });
    expect(await screen.until(/Allow write_file\?/)).toContain('› Write');
    letTimePass();
    screen.type('a');
    expect(await screen.until(/It is written/)).toContain('● writing');
    goOn.resolve();
    const shown = await screen.until(/done after/);
    expect(shown.match(/› Write\s*\n/g)).toHaveLength(1);
    expect(shown.match(/It is written/g)).toHaveLength(1);
    expect(shown).toContain('✓ write_file');
  });
});
