import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import type { RunEvent } from '../../src/contract/run-events.ts';
import { allOf } from '../helpers/all-of.ts';
import { describeCluster, startCluster } from '../helpers/cluster.ts';
import type { TestDaemon } from '../helpers/daemon.ts';
import { callsTools, says, type Script, startModelServer, useModel } from '../helpers/model-server.ts';
import { RedisServer } from '../helpers/redis-server.ts';
import { until } from '../helpers/tasks.ts';

/** Two daemons with one model; `redis` is their own where it is to be stopped. */
async function twoDaemons(redis?: RedisServer) {
  const model = await startModelServer();
  const cluster = await startCluster(2, {}, redis);
  const [a, b] = cluster.daemons as [TestDaemon, TestDaemon];
  for (const daemon of [a, b]) await useModel(daemon, model);
  return {
    a,
    b,
    model,
    async [Symbol.asyncDispose]() {
      await cluster[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}

const writeDone = [{ name: 'write_file', args: { path: 'done.txt', content: 'yes' } }];
const begin = async ({ client }: TestDaemon) =>
  (await client.conversations.create({ body: {} })).conversation.id;
const send = ({ client }: TestDaemon, id: string, content = 'Do it') =>
  client.conversations.sendMessageWithTools({ params: { id }, body: { content } });
const messagesOf = async ({ client }: TestDaemon, id: string) =>
  (await client.conversations.get({ params: { id } })).messages;
const decide = ({ client }: TestDaemon, id: string) =>
  client.approvals.decide({ params: { id }, body: { decision: 'allow-once' } });
const outcomeOf = (decision: Promise<unknown>) =>
  decision.then(
    () => 'decided',
    (error: Error) => error.message,
  );
const sqlOf = ({ app }: TestDaemon) => app.database;

describeCluster('a conversation on two daemons', () => {
  it('has one turn at a time, and loses no message', async () => {
    await using cluster = await twoDaemons();
    const { a, b, model } = cluster;
    const id = await begin(a);
    let running = 0;
    let most = 0;
    model.script = async (reply, asked) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return says('Hello')(reply, asked);
    };
    await Promise.all(Array.from({ length: 12 }, (_, index) => send(index % 2 ? a : b, id, `${index}`)));
    expect(most).toBe(1);
    const messages = await messagesOf(b, id);
    expect(messages.map(({ role }) => role)).toEqual(
      Array.from({ length: 24 }, (_, index) => (index % 2 ? 'assistant' : 'user')),
    );
    expect(new Set(messages.map(({ content }) => content)).size).toBe(13);
  });

  it('goes on after the lease of a daemon that is gone, whose answer is stored as far as it got', async () => {
    await using cluster = await twoDaemons();
    const { a, b, model } = cluster;
    const id = await begin(a);
    const asked = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    model.script = async (reply, request) => {
      asked.resolve();
      await gate.promise;
      return says('Late')(reply, request);
    };
    const lost = outcomeOf(send(a, id, 'First'));
    await asked.promise;
    // As if its process had stood still for longer than the lease.
    await sqlOf(b).write(({ db }) =>
      db
        .updateTable('conversations')
        .set({ turn_until: '2020-01-01T00:00:00.000Z' })
        .where('id', '=', id)
        .execute(),
    );
    model.script = says('Hello');
    await send(b, id, 'Second');
    gate.resolve();
    expect(await lost).toContain('taken over');
    const messages = await messagesOf(b, id);
    expect(messages.map(({ role, content, status }) => [role, content, status])).toEqual([
      ['user', 'First', undefined],
      ['assistant', '', 'interrupted'],
      ['user', 'Second', undefined],
      ['assistant', 'Hello', 'completed'],
    ]);
  });

  it('stops on one daemon the turn that runs on the other', async () => {
    await using cluster = await twoDaemons();
    const { a, b, model } = cluster;
    const id = await begin(a);
    const asked = Promise.withResolvers<void>();
    model.script = async () => asked.resolve();
    const stopped = outcomeOf(send(a, id));
    await asked.promise;
    await b.client.conversations.stopTurn({ params: { id } });
    expect(await stopped).not.toBe('decided');
    expect((await messagesOf(b, id)).at(-1)).toMatchObject({ role: 'assistant', status: 'interrupted' });
  });
});

/** A client that follows a conversation until it leaves. */
function watch({ client }: TestDaemon, id: string, after?: string) {
  const leaving = new AbortController();
  const items: { id?: string | undefined; data: RunEvent }[] = [];
  const over = (async () => {
    const stream = client.conversations.followEventsStream(
      { params: { id }, ...(after !== undefined && { headers: { 'last-event-id': after } }) },
      { signal: leaving.signal },
    );
    for await (const item of stream) items.push(item);
  })().catch((error: unknown) => {
    if (!leaving.signal.aborted) throw error;
  });
  return {
    items,
    has: (type: RunEvent['type']) => until(() => expect(items.map(({ data }) => data.type)).toContain(type)),
    async leave() {
      leaving.abort();
      await over;
    },
  };
}

/** Answers in two pieces, the second when the gate opens. */
function twoPieces() {
  const began = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const script: Script = async (reply) => {
    reply.piece('One');
    began.resolve();
    await gate.promise;
    reply.piece(' two');
    reply.end();
  };
  return { script, began: began.promise, open: () => gate.resolve() };
}

describeCluster('the stream of a turn on two daemons', () => {
  it.each(['message', 'agentic'])('is the same for clients of both: %s', async (kind) => {
    await using cluster = await twoDaemons();
    const { a, b, model } = cluster;
    const id = await begin(a);
    const early = watch(b, id);
    const here = watch(a, id);
    const { script, began, open } = twoPieces();
    model.script = script;
    const order = { params: { id }, body: { content: 'Do it' } };
    const { conversations } = a.client;
    const sending = allOf(
      kind === 'message'
        ? conversations.sendMessageWithToolsStream(order)
        : conversations.sendAgenticMessageStream(order),
    );
    await began;
    await early.has('text:delta');
    const late = watch(b, id);
    await late.has('text:delta');
    const resumed = watch(b, id, early.items.find(({ data }) => data.type === 'session:start')?.id);
    open();
    await sending;
    for (const client of [here, early, late, resumed]) await client.has('message_saved');
    expect(JSON.stringify(early.items)).toBe(JSON.stringify(here.items));
    expect(JSON.stringify(late.items)).toBe(JSON.stringify(here.items));
    const at = here.items.findIndex(({ data }) => data.type === 'session:start');
    expect(JSON.stringify(resumed.items)).toBe(JSON.stringify(here.items.slice(at + 1)));
    for (const client of [here, early, late, resumed]) await client.leave();
  });

  it('is read from the rows without Redis, for a client whose run another daemon has', async () => {
    await using redis = await RedisServer.start();
    await using cluster = await twoDaemons(redis);
    const { a, b, model } = cluster;
    const id = await begin(a);
    const { script, began, open } = twoPieces();
    model.script = script;
    const running = allOf(
      a.client.conversations.sendAgenticMessageStream({ params: { id }, body: { content: 'Do it' } }),
    );
    await began;
    await redis.kill();
    const late = watch(b, id);
    await late.has('session:start');
    open();
    const events = await running;
    await late.has('message_saved');
    const ofTask = (each: RunEvent[]) =>
      each.filter(({ type }) => type !== 'user_message' && type !== 'text:delta').map(({ type }) => type);
    const text = (each: RunEvent[]) =>
      each.map((event) => (event.type === 'text:delta' ? event.data.delta : '')).join('');
    const got = late.items.map(({ data }) => data);
    expect(ofTask(got)).toEqual(ofTask(events));
    expect(text(got)).toBe(text(events));
    await late.leave();
  });
});

describeCluster('an approval on two daemons', () => {
  it('is decided once, and its run resumed by the daemon that began it', async () => {
    await using cluster = await twoDaemons();
    const { a, b, model } = cluster;
    const id = await begin(a);
    model.script = callsTools([writeDone]);
    const { pendingApprovals } = await send(a, id);
    const approval = pendingApprovals[0]?.id ?? '';
    const outcomes = await Promise.all([a, b, a, b].map((daemon) => outcomeOf(decide(daemon, approval))));
    expect(outcomes.filter((outcome) => outcome === 'decided')).toHaveLength(1);
    expect(new Set(outcomes)).toEqual(new Set(['decided', 'The approval is already approved']));
    await until(async () => expect((await messagesOf(b, id)).at(-1)?.content).toBe('All done'));
    expect(readFileSync(join(a.home, 'workspaces', id, 'done.txt'), 'utf8')).toBe('yes');
    const { entries } = await b.client.audit.list({ query: { conversationId: id } });
    expect(entries.filter(({ result }) => result === 'intent')).toHaveLength(1);
  });

  it('resumes the run within two seconds without Redis too', async () => {
    await using redis = await RedisServer.start();
    await using cluster = await twoDaemons(redis);
    const { a, b, model } = cluster;
    const id = await begin(a);
    model.script = callsTools([writeDone]);
    const { pendingApprovals } = await send(a, id);
    await redis.kill();
    await decide(b, pendingApprovals[0]?.id ?? '');
    const decidedAt = performance.now();
    await until(async () => expect((await messagesOf(b, id)).at(-1)?.content).toBe('All done'));
    expect(performance.now() - decidedAt).toBeLessThan(15_000);
  });

  it('is resumed by another daemon once the first has stopped', async () => {
    await using cluster = await twoDaemons();
    const { a, b, model } = cluster;
    const id = await begin(a);
    model.script = callsTools([[{ name: 'write_file', args: { path: 'done.txt', content: 'yes' } }]]);
    const { pendingApprovals } = await send(a, id);
    await a.stop();
    const first = pendingApprovals[0]?.id ?? '';
    await decide(b, first);
    // It works in another folder there, which is another call.
    const again = await vi.waitFor(async () => {
      const { approvals } = await b.client.approvals.list({ query: { status: 'pending' } });
      expect(approvals).toHaveLength(1);
      return approvals[0]?.id ?? '';
    }, 20_000);
    expect(again).not.toBe(first);
    await decide(b, again);
    await until(async () => expect((await messagesOf(b, id)).at(-1)?.content).toBe('All done'));
    expect(readFileSync(join(b.home, 'workspaces', id, 'done.txt'), 'utf8')).toBe('yes');
  });
});
