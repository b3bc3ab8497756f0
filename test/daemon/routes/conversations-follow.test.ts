import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../../../src/contract/client.ts';
import type { RunEvent } from '../../../src/contract/run-events.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { startModelDaemon } from '../../helpers/model-daemon.ts';
import { callsTools, type ModelReply, type ModelServer, says, useModel } from '../../helpers/model-server.ts';
import { until } from '../../helpers/tasks.ts';
import { addUser, type TestUser } from '../../helpers/users.ts';

let daemon: TestDaemon;
let model: ModelServer;
let ann: TestUser;
beforeAll(async () => {
  ({ daemon, model } = await startModelDaemon());
  ann = await addUser(daemon, 'ann');
});
beforeEach(() => {
  model.script = says('Hello');
  model.asked.length = 0;
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

const writeDone = [{ name: 'write_file', args: { path: 'done.txt', content: 'yes' } }];
const begin = async (client: Client) => (await client.conversations.create({ body: {} })).conversation.id;
const get = (id: string, client: Client = ann.client) => client.conversations.get({ params: { id } });
const send = (id: string, content = 'Do it', client: Client = ann.client) =>
  client.conversations.sendMessageWithTools({ params: { id }, body: { content } });
const approve = (client: Client, approvalId = '') =>
  client.approvals.decide({ params: { id: approvalId }, body: { decision: 'allow-once' } });

/** A client that follows a conversation. */
function follow(id: string, { client = ann.client, after }: { client?: Client; after?: string } = {}) {
  const leaving = new AbortController();
  const events: RunEvent[] = [];
  const ids: string[] = [];
  const over = (async () => {
    for await (const { id: eventId = '', data } of client.conversations.followEventsStream(
      { params: { id }, ...(after !== undefined && { headers: { 'last-event-id': after } }) },
      { signal: leaving.signal },
    )) {
      ids.push(eventId);
      events.push(data);
    }
  })().catch(() => undefined);
  return {
    events,
    ids,
    over,
    types: () => events.map(({ type }) => type),
    /** The events once there is one of this type. */
    has: (type: RunEvent['type']) => until(() => expect(events.map((event) => event.type)).toContain(type)),
    async leave() {
      leaving.abort();
      await over;
    },
  };
}

describe('the events of a conversation', () => {
  it('reach all clients alike, whichever of them sent the message', async () => {
    const id = await begin(ann.client);
    const first = follow(id);
    const second = follow(id);
    model.script = callsTools([writeDone]);
    const { pendingApprovals } = await send(id);
    await first.has('approval:requested');
    expect((await get(id)).currentRun).toMatchObject({ kind: 'message', status: 'waiting' });
    await approve(ann.client, pendingApprovals[0]?.id);
    await first.has('message_saved');
    await second.has('message_saved');
    expect(first.types()).toEqual([
      'user_message',
      'session:start',
      'step:start',
      'tool:call',
      'approval:requested',
      'approval:decided',
      'tool:result',
      'step:complete',
      'step:start',
      'text:delta',
      'step:complete',
      'complete',
      'message_saved',
    ]);
    expect(second.events).toEqual(first.events);
    expect(new Set(first.events.map(({ runId }) => runId)).size).toBe(1);
    expect((await get(id)).currentRun).toBeUndefined();
    await ann.client.conversations.sendMessage({ params: { id }, body: { content: 'Plainly' } });
    await until(() =>
      expect(first.types().slice(13)).toEqual(['user_message', 'text:delta', 'complete', 'message_saved']),
    );
    await first.leave();
    await second.leave();
  });

  it('reach a client that joins late from the beginning of the turn', async () => {
    const id = await begin(ann.client);
    model.script = callsTools([writeDone]);
    await send(id);
    const late = follow(id);
    await late.has('approval:requested');
    expect(late.types().slice(0, 3)).toEqual(['user_message', 'session:start', 'step:start']);
    await late.leave();
  });

  it('continue behind the last event that a client has', async () => {
    const id = await begin(ann.client);
    const before = follow(id);
    await send(id, 'One');
    await before.has('message_saved');
    await before.leave();
    const again = follow(id, { after: before.ids[2] ?? '' });
    await again.has('message_saved');
    expect(again.events).toEqual(before.events.slice(3));
    await again.leave();
    const fresh = follow(id);
    await send(id, 'Two');
    await fresh.has('message_saved');
    expect(fresh.events[0]).toMatchObject({ type: 'user_message', data: { content: 'Two' } });
    await fresh.leave();
  });

  it('end when the conversation is deleted', async () => {
    const id = await begin(ann.client);
    const reader = follow(id);
    await send(id);
    await reader.has('message_saved');
    await ann.client.conversations.delete({ params: { id } });
    await reader.over;
  });
});

describe('stopping a turn', () => {
  it('stops a turn that another client started, and keeps what there was', async () => {
    const id = await begin(ann.client);
    model.script = (reply) => reply.piece('The door');
    const sender = (async () => {
      const events: RunEvent[] = [];
      for await (const { data } of ann.client.conversations.sendMessageWithToolsStream({
        params: { id },
        body: { content: 'Go' },
      }))
        events.push(data);
      return events;
    })();
    const other = follow(id);
    await other.has('text:delta');
    expect((await get(id)).currentRun).toMatchObject({ kind: 'message', status: 'running' });
    expect(await ann.client.conversations.stopTurn({ params: { id } })).toEqual({ message: 'Turn stopped' });
    expect((await sender).at(-1)).toMatchObject({ type: 'error' });
    await until(async () =>
      expect((await get(id)).messages[1]).toMatchObject({ content: 'The door', status: 'interrupted' }),
    );
    expect(await ann.client.conversations.stopTurn({ params: { id } })).toEqual({
      message: 'No turn is running',
    });
    await other.leave();
  });

  it('stops a turn that waits for an approval, which expires', async () => {
    const id = await begin(ann.client);
    model.script = callsTools([writeDone]);
    const { pendingApprovals } = await send(id);
    await ann.client.conversations.stopTurn({ params: { id } });
    expect((await get(id)).messages[1]).toMatchObject({
      status: 'interrupted',
      error: { code: 'CANCELLED' },
    });
    await expect(approve(ann.client, pendingApprovals[0]?.id)).rejects.toMatchObject({ status: 400 });
  });

  it('stops a turn at the moment at which it asks for an approval', async () => {
    const id = await begin(ann.client);
    model.script = callsTools([writeDone]);
    const events: RunEvent[] = [];
    for await (const { data } of ann.client.conversations.sendMessageWithToolsStream({
      params: { id },
      body: { content: 'Go' },
    })) {
      events.push(data);
      if (data.type === 'approval:requested') await ann.client.conversations.stopTurn({ params: { id } });
    }
    expect(events.at(-1)).toMatchObject({ type: 'error', data: { code: 'CANCELLED' } });
    expect(await get(id)).toMatchObject({ pendingApprovals: [] });
    expect((await get(id)).currentRun).toBeUndefined();
  });

  it('continues a detached turn when its client disconnects, across an approval', async () => {
    const id = await begin(ann.client);
    const gone = new AbortController();
    const answer = Promise.withResolvers<ModelReply>();
    model.script = (reply, asked) => {
      if (asked.body.messages.at(-1)?.role !== 'tool') return callsTools([writeDone])(reply, asked);
      reply.piece('Now ');
      answer.resolve(reply);
    };
    const reading = (async () => {
      for await (const { data } of ann.client.conversations.sendMessageWithToolsStream(
        { params: { id }, body: { content: 'Go', detached: true } },
        { signal: gone.signal },
      ))
        if (data.type === 'user_message') gone.abort();
    })().catch(() => undefined);
    await reading;
    const follower = follow(id);
    await follower.has('approval:requested');
    await approve(ann.client, (await get(id)).pendingApprovals[0]?.id);
    const reply = await answer.promise;
    await follower.has('text:delta');
    reply.piece('it is done');
    reply.end();
    await follower.has('message_saved');
    await follower.leave();
    expect((await get(id)).messages[1]).toMatchObject({ content: 'Now it is done', status: 'completed' });
  });

  it('stops a turn that continues after an approval when its client disconnects', async () => {
    const id = await begin(ann.client);
    const gone = new AbortController();
    let hasAnswered = false;
    model.script = (reply, asked) => {
      if (asked.body.messages.at(-1)?.role !== 'tool') return callsTools([writeDone])(reply, asked);
      hasAnswered = true;
      reply.piece('Now ');
    };
    const reading = (async () => {
      for await (const { data } of ann.client.conversations.sendMessageWithToolsStream(
        { params: { id }, body: { content: 'Go' } },
        { signal: gone.signal },
      )) {
        if (data.type === 'approval:requested') await approve(ann.client, data.data.approval.id);
        if (data.type === 'text:delta') gone.abort();
      }
    })().catch(() => undefined);
    await reading;
    expect(hasAnswered).toBe(true);
    await until(async () =>
      expect((await get(id)).messages[1]).toMatchObject({
        content: 'Now ',
        status: 'interrupted',
        toolCalls: [{ name: 'write_file', status: 'success' }],
      }),
    );
  });
});

describe('after a restart of the daemon', () => {
  it('a client finds the open approval and the turn so far, and then the rest of the answer', async () => {
    const first = await startDaemon();
    const { home } = first;
    await useModel(first, model);
    const id = await begin(first.client);
    model.script = callsTools([[{ name: 'list_directory', args: { path: '.' } }], writeDone]);
    const { pendingApprovals } = await send(id, 'Do it', first.client);
    await first.stop();
    await using second = await startDaemon({ home });
    const reader = follow(id, { client: second.client });
    await reader.has('approval:requested');
    expect(reader.types()).toEqual([
      'user_message',
      'session:start',
      'step:start',
      'tool:call',
      'tool:result',
      'step:start',
      'tool:call',
      'approval:requested',
    ]);
    const found = await get(id, second.client);
    expect(found).toMatchObject({
      pendingApprovals: [{ id: pendingApprovals[0]?.id }],
      currentRun: { status: 'waiting' },
      messages: [{ role: 'user' }, { status: 'waiting' }],
    });
    await approve(second.client, pendingApprovals[0]?.id);
    await reader.has('message_saved');
    expect(reader.types().slice(8)).toEqual([
      'approval:decided',
      'tool:result',
      'step:complete',
      'step:start',
      'text:delta',
      'step:complete',
      'complete',
      'message_saved',
    ]);
    await reader.leave();
  });

  it('a turn that a stop of the daemon cut off is interrupted', async () => {
    const first = await startDaemon();
    const { home } = first;
    await useModel(first, model);
    const id = await begin(first.client);
    model.script = (reply) => reply.piece('The door');
    const reader = follow(id, { client: first.client });
    const sent = send(id, 'Go', first.client).catch(() => undefined);
    await until(() => expect(model.asked).toHaveLength(1));
    await first.stop();
    await sent;
    await reader.over;
    await using second = await startDaemon({ home });
    const { messages } = await get(id, second.client);
    expect(messages).toMatchObject([{ role: 'user' }, { role: 'assistant', status: 'interrupted' }]);
  });

  it('a turn that was under way when the daemon died is stored as far as it got', async () => {
    const first = await startDaemon();
    const { home } = first;
    await useModel(first, model);
    const id = await begin(first.client);
    model.script = (reply, asked) =>
      asked.body.messages.at(-1)?.role === 'tool'
        ? reply.piece('The door')
        : callsTools([[{ name: 'list_directory', args: { path: '.' } }]])(reply, asked);
    const reading = (async () => {
      for await (const { data } of first.client.conversations.sendMessageWithToolsStream({
        params: { id },
        body: { content: 'Go' },
      }))
        void data;
    })().catch(() => undefined);
    const left = await until(async () => {
      const row = await first.app.database.read
        .selectFrom('agent_runs')
        .selectAll()
        .where('conversation_id', '=', id)
        .executeTakeFirstOrThrow();
      expect(row.partial).toBe('The door');
      return row;
    });
    await first.stop();
    await reading;
    const second = await startDaemon({ home });
    // As a daemon that dies leaves it: without the answer that a stop stores.
    await second.app.database.write(async ({ db }) => {
      await db.deleteFrom('messages').where('conversation_id', '=', id).where('seq', '=', 2).execute();
      await db.updateTable('conversations').set({ message_count: 1 }).where('id', '=', id).execute();
      await db.insertInto('agent_runs').values(left).execute();
    });
    await second.stop();
    await using third = await startDaemon({ home });
    const { messages, currentRun } = await get(id, third.client);
    expect(messages).toMatchObject([
      { role: 'user' },
      {
        content: 'The door',
        status: 'interrupted',
        error: { code: 'STOPPED' },
        toolCalls: [{ name: 'list_directory', status: 'success' }],
      },
    ]);
    expect(currentRun).toBeUndefined();
    model.script = says('Fine');
    await send(id, 'continue', third.client);
    const roles = model.asked.at(-1)?.body.messages.map(({ role }) => role);
    expect(roles).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user']);
  });
});
