import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { TestDaemon } from '../../helpers/daemon.ts';
import { startModelDaemon } from '../../helpers/model-daemon.ts';
import { callsTools, type ModelServer, says, type Script } from '../../helpers/model-server.ts';

let daemon: TestDaemon;
let model: ModelServer;
beforeAll(async () => {
  ({ daemon, model } = await startModelDaemon());
});
beforeEach(() => {
  model.script = says('Hello');
  model.asked.length = 0;
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

const begin = async () => {
  const { conversations } = daemon.client;
  const { id } = (await conversations.create({ body: {} })).conversation;
  return {
    send: (content: string) => conversations.sendMessageWithTools({ params: { id }, body: { content } }),
    compact: (keep?: string) =>
      conversations.compact({ params: { id }, body: keep === undefined ? {} : { keep } }),
    get: () => conversations.get({ params: { id } }),
    stop: () => conversations.stopTurn({ params: { id } }),
  };
};
const fails: Script = (reply) => reply.json(500, { error: { message: 'no' } });

it('sums up a conversation with its tool calls; the messages stay', async () => {
  const chat = await begin();
  model.script = callsTools([[{ name: 'list_directory', args: { path: '.' } }]]);
  await chat.send('What is here?');
  model.script = says('Nothing is here.');
  const { summary, compaction } = await chat.compact('the files');
  expect(summary).toBe('Nothing is here.');
  expect(compaction.tokensBefore).toBeGreaterThan(0);
  expect(JSON.stringify(model.asked.at(-1)?.body.messages)).toContain('list_directory');
  expect((await chat.get()).messages).toHaveLength(2);
  await chat.send('Sure?');
  const asked = JSON.stringify(model.asked.at(-1)?.body.messages);
  expect(asked).toContain('Nothing is here.');
  expect(asked).not.toContain('What is here?');
  await expect(
    (async () => {
      await chat.compact();
      await chat.compact();
    })(),
  ).rejects.toMatchObject({ status: 400, message: expect.stringContaining('nothing to compact') });
});

it('is refused while a turn runs or waits for an approval', async () => {
  const chat = await begin();
  model.script = callsTools([[{ name: 'write_file', args: { path: 'a.txt', content: 'a' } }]]);
  await chat.send('Write');
  await expect(chat.compact()).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('is not finished'),
  });
  await chat.stop();
  model.script = says('They tried to write.');
  await chat.compact();
});

it('a provider that fails changes nothing', async () => {
  const chat = await begin();
  await chat.send('Remember the door');
  model.script = fails;
  await expect(chat.compact()).rejects.toMatchObject({ status: 503 });
  model.script = says('Yes');
  await chat.send('What?');
  expect(JSON.stringify(model.asked.at(-1)?.body.messages)).toContain('Remember the door');
});
