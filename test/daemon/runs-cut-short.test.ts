import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Client } from '../../src/contract/client.ts';
import { startDaemon, type TestDaemon, temporaryFolder } from '../helpers/daemon.ts';
import { leaveRunning, runSql } from '../helpers/daemon-rows.ts';
import { startMcpHttpServer } from '../helpers/mcp-http-server.ts';
import { callsTools, type ModelServer, startModelServer } from '../helpers/model-server.ts';
import { until } from '../helpers/tasks.ts';

let model: ModelServer;
beforeAll(async () => {
  model = await startModelServer();
});
beforeEach(() => {
  model.asked.length = 0;
});
afterAll(() => model[Symbol.asyncDispose]());

/** A daemon on the folder that finds the model. */
const start = (home: string, flags = {}): Promise<TestDaemon> =>
  startDaemon({
    home,
    flags: {
      'providers.ollama.baseUrl': model.url,
      'providers.ollama.defaultModel': 'test-model',
      ...flags,
    },
  });
const beginIn = async ({ client }: TestDaemon) =>
  (await client.conversations.create({ body: {} })).conversation.id;
const messagesOf = async (client: Client, id: string) =>
  (await client.conversations.get({ params: { id } })).messages;
const writeDone = [{ name: 'write_file', args: { path: 'done.txt', content: 'yes' } }];
const ask = ({ client }: TestDaemon, id: string) =>
  client.conversations.sendMessageWithTools({
    params: { id },
    body: { content: 'Do it', securityMode: 'ask' },
  });

it('an agentic run that had its answer when the daemon died stores it once, and does not call the model again', async () => {
  const home = temporaryFolder();
  const first = await start(home);
  const id = await beginIn(first);
  model.script = callsTools([writeDone]);
  let taskId = '';
  for await (const { data } of first.client.conversations.sendAgenticMessageStream({
    params: { id },
    body: { content: 'Do it', maxSteps: 2 },
  }))
    if (data.type === 'session:start') taskId = data.data.taskId ?? '';
  await until(async () =>
    expect((await first.client.tasks.get({ params: { id: taskId } })).task.status).toBe('completed'),
  );
  await first.stop();
  // As a daemon leaves it that dies before the outcome is stored.
  await leaveRunning(home, [taskId]);
  await runSql(first, 'update tasks set result = null where id = ?', taskId);
  await using second = await start(home);
  await until(async () =>
    expect((await second.client.tasks.get({ params: { id: taskId } })).task).toMatchObject({
      status: 'completed',
      attempts: 2,
      result: { output: 'All done' },
    }),
  );
  expect(await messagesOf(second.client, id)).toMatchObject([
    { role: 'user' },
    { role: 'assistant', content: 'All done', toolCalls: [{ status: 'success' }] },
  ]);
  expect(model.asked).toHaveLength(2);
});

it('a tool call that a stop interrupted has an unknown outcome, and is not repeated', async () => {
  const home = temporaryFolder();
  let calls = 0;
  const called = Promise.withResolvers<void>();
  await using tools = await startMcpHttpServer({
    onHang: () => {
      calls++;
      called.resolve();
    },
  });
  const rig = { url: tools.url, headers: {}, enabled: true, readOnlyTools: [] };
  const flags = { 'tools.mcpServers': { rig } };
  const first = await start(home, flags);
  const id = await beginIn(first);
  model.script = callsTools([[{ name: 'mcp__rig__hang', args: {} }, ...writeDone]]);
  const reading = (async () => {
    for await (const { data } of first.client.conversations.sendAgenticMessageStream({
      params: { id },
      body: { content: 'Do it' },
    }))
      void data;
    // The stop ends the stream.
  })().catch(() => undefined);
  await called.promise;
  await first.stop();
  await reading;
  await using second = await start(home, flags);
  await until(async () => expect((await messagesOf(second.client, id)).at(-1)?.content).toBe('All done'));
  expect((await messagesOf(second.client, id)).at(-1)?.toolCalls).toMatchObject([
    { name: 'mcp__rig__hang', status: 'error', result: expect.stringContaining('not known') },
    { name: 'write_file', status: 'success' },
  ]);
  expect(calls).toBe(1);
});

it('an approval of an interrupted run applies to the retry that requests the same call', async () => {
  await using daemon = await start(temporaryFolder());
  const id = await beginIn(daemon);
  model.script = callsTools([writeDone]);
  const lost = await ask(daemon, id);
  // As a daemon leaves it that dies after it asked and before it kept what waits.
  await daemon.app.database.write(({ db }) =>
    db.deleteFrom('agent_runs').where('conversation_id', '=', id).execute(),
  );
  model.asked.length = 0;
  const again = await ask(daemon, id);
  const [approval] = again.pendingApprovals;
  expect(approval?.id).toBe(lost.pendingApprovals[0]?.id);
  const { run_id } = await daemon.app.database.read
    .selectFrom('approvals')
    .select('run_id')
    .where('id', '=', approval?.id ?? '')
    .executeTakeFirstOrThrow();
  const { id: waiting } = await daemon.app.database.read
    .selectFrom('agent_runs')
    .select('id')
    .where('conversation_id', '=', id)
    .executeTakeFirstOrThrow();
  expect(run_id).toBe(waiting);
  await daemon.client.approvals.decide({
    params: { id: approval?.id ?? '' },
    body: { decision: 'allow-once' },
  });
  await until(async () =>
    expect((await messagesOf(daemon.client, id)).at(-1)).toMatchObject({
      id: again.assistantMessage.id,
      content: 'All done',
    }),
  );
});
