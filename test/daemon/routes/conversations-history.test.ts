import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SendWithTools } from '../../../src/contract/conversations.ts';
import type { RunEvent } from '../../../src/contract/run-events.ts';
import { allOf } from '../../helpers/all-of.ts';
import type { TestDaemon } from '../../helpers/daemon.ts';
import { startModelDaemon } from '../../helpers/model-daemon.ts';
import { callsTools, type ModelServer, says } from '../../helpers/model-server.ts';
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

async function begin(notes = 'The door is blue.\n') {
  const { conversation } = await ann.client.conversations.create({ body: {} });
  const folder = join(daemon.home, 'workspaces', conversation.id);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'notes.txt'), notes);
  return conversation.id;
}
const send = (id: string, content: string, more: Partial<SendWithTools> = {}) =>
  ann.client.conversations.sendMessageWithTools({ params: { id }, body: { content, ...more } });
const get = (id: string) => ann.client.conversations.get({ params: { id } });
const readNotes = [{ name: 'read_file', args: { path: 'notes.txt' } }];
const writeDone = [{ name: 'write_file', args: { path: 'done.txt', content: 'yes' } }];

interface Part {
  role: string;
  content: unknown;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}
/** What the model was asked in a request, without the instructions. */
const promptOf = (request = model.asked.length - 1) =>
  ((model.asked[request]?.body.messages ?? []) as Part[]).filter(({ role }) => role !== 'system');
/** Every call has exactly one result right behind it, nothing else does, and the speakers take turns. */
function expectWellFormed(messages: readonly Part[]) {
  const waiting = new Set<string>();
  const used = new Set<string>();
  let before = '';
  for (const { role, tool_calls = [], tool_call_id: of = '' } of messages) {
    if (role === 'tool') expect(waiting.delete(of)).toBe(true);
    else {
      expect([...waiting]).toEqual([]);
      if (before !== 'tool') expect(role).not.toBe(before);
      before = role;
    }
    if (role === 'tool') before = 'tool';
    for (const { id } of tool_calls) {
      expect(used.has(id)).toBe(false);
      used.add(id);
      waiting.add(id);
    }
  }
  expect([...waiting]).toEqual([]);
}

describe('the next turn', () => {
  it('sends the tool calls of earlier turns with their results, in order', async () => {
    const id = await begin();
    const looks = [...readNotes, { name: 'list_directory', args: { path: '.' } }];
    model.script = callsTools([looks, readNotes], 'It is blue.');
    await send(id, 'Which colour?');
    model.script = says('Still blue.');
    await send(id, 'And now?');
    const messages = promptOf();
    expectWellFormed(messages);
    expect(messages.map(({ role }) => role).join(' ')).toBe(
      'user assistant tool tool assistant tool assistant user',
    );
    const [, first, result, , second] = messages;
    expect(
      first?.tool_calls?.map((call) => [call.function.name, JSON.parse(call.function.arguments)]),
    ).toEqual([
      ['read_file', { path: 'notes.txt' }],
      ['list_directory', { path: '.' }],
    ]);
    expect(result).toMatchObject({
      tool_call_id: first?.tool_calls?.[0]?.id,
      content: expect.stringContaining('The door is blue.'),
    });
    expect(second?.tool_calls).toHaveLength(1);
    expect(messages.at(-2)?.content).toBe('It is blue.');
    expect(messages.at(-1)?.content).toBe('And now?');
  });

  it('sends a long result again only in part, with a mark', async () => {
    const id = await begin('line\n'.repeat(5000));
    model.script = callsTools([readNotes], 'Long.');
    await send(id, 'Read it');
    const full = String(promptOf().at(-1)?.content);
    await send(id, 'And?', { enableTools: true });
    const again = String(promptOf().find(({ role }) => role === 'tool')?.content);
    expect(full.length).toBeGreaterThan(15_000);
    expect(again.length).toBeLessThan(8200);
    expect(again).toMatch(/\[… \d+ of \d+ characters left out; call the tool again if they are needed …\]/);
  });

  it('sends earlier calls as text in a request without tools', async () => {
    const id = await begin();
    model.script = callsTools([readNotes], 'It is blue.');
    await send(id, 'Which colour?');
    model.script = says('Blue');
    await send(id, 'Without tools', { enableTools: false });
    await ann.client.conversations.sendMessage({ params: { id }, body: { content: 'Plainly' } });
    for (const request of [2, 3]) {
      const messages = promptOf(request);
      expect(messages.some(({ role, tool_calls }) => role === 'tool' || tool_calls)).toBe(false);
      expect(messages[1]?.content).toMatch(
        /^\[Tool call: read_file \{"path":"notes.txt"\}\]\n\n\[Result of read_file\]\n[^]*The door is blue\.[^]*It is blue\.$/,
      );
      expectWellFormed(messages);
    }
  });

  it('sends a refused and a denied call with what was answered', async () => {
    const id = await begin();
    model.script = callsTools([writeDone], 'I could not.');
    const { pendingApprovals } = await send(id, 'Write it');
    await ann.client.approvals.decide({
      params: { id: pendingApprovals[0]?.id ?? '' },
      body: { decision: 'deny' },
    });
    await until(async () => expect((await get(id)).messages.at(-1)?.status).toBe('completed'));
    model.script = says('Fine');
    await send(id, 'Next');
    expectWellFormed(promptOf());
    expect(promptOf()[2]).toMatchObject({ role: 'tool', content: 'A person denied this call' });
  });

  it('closes a call whose approval was pending when the next message came', async () => {
    const id = await begin();
    model.script = callsTools([writeDone]);
    const { assistantMessage } = await send(id, 'Write it');
    expect(assistantMessage.status).toBe('waiting');
    model.script = says('Fine');
    await send(id, 'Never mind');
    const messages = promptOf();
    expectWellFormed(messages);
    expect(messages[2]).toMatchObject({ role: 'tool', content: 'The turn ended before this call ran.' });
    expect(messages[3]?.content).toBe('[This answer was interrupted before it was complete.]');
    expect((await get(id)).messages[1]).toMatchObject({
      id: assistantMessage.id,
      status: 'interrupted',
      error: { code: 'OVERTAKEN' },
      toolCalls: [{ name: 'write_file', status: 'error' }],
    });
  });

  it('is sent what an agentic turn did, and the agentic turn what came before', async () => {
    const id = await begin();
    model.script = callsTools([readNotes], 'It is blue.');
    await send(id, 'Which colour?');
    model.script = callsTools([writeDone], 'Written.');
    await allOf(
      ann.client.conversations.sendAgenticMessageStream({ params: { id }, body: { content: 'Write it' } }),
    );
    expectWellFormed(promptOf());
    expect(promptOf(2).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
    model.script = says('Yes');
    await send(id, 'Done?');
    expectWellFormed(promptOf());
    expect(promptOf().flatMap(({ tool_calls = [] }) => tool_calls.map((call) => call.function.name))).toEqual(
      ['read_file', 'write_file'],
    );
  });
});

describe('compaction', () => {
  it('summarizes old turns with their tool calls, and leaves no half of a pair behind', async () => {
    const id = await begin('The door is blue.\n'.repeat(900));
    let summary = '';
    const reads = ['a', 'b', 'c'].map((call) => readNotes.map((each) => ({ ...each, id: call })));
    const answer = callsTools(reads, 'It is blue.');
    model.script = (reply, asked) => {
      const { messages } = asked.body;
      if (!String(messages[0]?.content).startsWith('Sum up')) return answer(reply, asked);
      summary = JSON.stringify(messages);
      return reply.whole('The door is blue, as notes.txt says.');
    };
    for (let turn = 1; turn <= 6; turn++) await send(id, `Question ${turn}`);
    expect(summary).toContain('read_file');
    expect(summary).toContain('notes.txt');
    for (const request of model.asked.keys())
      if (!String(model.asked[request]?.body.messages[0]?.content).startsWith('Sum up'))
        expectWellFormed(promptOf(request));
    expect(JSON.stringify(promptOf())).toContain('as notes.txt says');
    expect(JSON.stringify(promptOf())).toContain('Question 6');
    expect(JSON.stringify(promptOf()).length).toBeLessThan(110_000);
  });
});

describe('a turn that does not complete', () => {
  it('keeps the partial answer of a model that fails, and is not joined with the next message', async () => {
    const id = await begin();
    let cut = () => undefined as void;
    model.script = (reply, { body }) => {
      if (body.messages.at(-1)?.role === 'user') return reply.calls(body.stream, readNotes, 'Let me look.');
      cut = () => reply.cut();
      reply.piece('The door ');
    };
    const types: string[] = [];
    for await (const { data } of ann.client.conversations.sendMessageWithToolsStream({
      params: { id },
      body: { content: 'Which colour?' },
    })) {
      types.push(data.type);
      if (data.type === 'text:delta') cut();
    }
    expect(types.at(-1)).toBe('error');
    const failed = (await get(id)).messages[1];
    expect(failed).toMatchObject({
      content: 'The door ',
      status: 'failed',
      error: { code: expect.any(String), message: expect.any(String) },
      toolCalls: [{ name: 'read_file', status: 'success' }],
    });
    model.script = says('Blue');
    await send(id, 'Go on');
    const messages = promptOf();
    expectWellFormed(messages);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
    expect(messages[1]?.content).toBe('Let me look.');
    expect(messages[3]?.content).toMatch(/^The door\n\n\[This answer failed before it was complete: .+\]$/);
    expect(messages[4]?.content).toBe('Go on');
  });

  it('stores an answer as interrupted when its client disconnects', async () => {
    const id = await begin();
    const streamed = Promise.withResolvers<void>();
    model.script = (reply) => {
      reply.piece('The door is');
      streamed.resolve();
    };
    const gone = new AbortController();
    const events: RunEvent[] = [];
    const reading = (async () => {
      for await (const { data } of ann.client.conversations.sendMessageWithToolsStream(
        { params: { id }, body: { content: 'Which colour?' } },
        { signal: gone.signal },
      )) {
        events.push(data);
        if (data.type === 'text:delta') gone.abort();
      }
    })().catch(() => undefined);
    await streamed.promise;
    await reading;
    await until(async () =>
      expect((await get(id)).messages[1]).toMatchObject({
        content: 'The door is',
        status: 'interrupted',
        error: { code: 'CANCELLED' },
      }),
    );
    expect(await get(id)).not.toHaveProperty('currentRun');
    model.script = says('Blue');
    await send(id, 'Again');
    expect(promptOf()).toMatchObject([
      { role: 'user', content: 'Which colour?' },
      { role: 'assistant', content: 'The door is\n\n[This answer was interrupted before it was complete.]' },
      { role: 'user', content: 'Again' },
    ]);
  });

  it('stores an agentic turn that is cancelled as interrupted', async () => {
    const id = await begin();
    const asked = Promise.withResolvers<void>();
    model.script = () => asked.resolve();
    const reading = allOf(
      ann.client.conversations.sendAgenticMessageStream({ params: { id }, body: { content: 'Work' } }),
    );
    await asked.promise;
    const { currentRun } = await get(id);
    expect(currentRun).toMatchObject({ kind: 'agentic', status: 'running', taskId: expect.any(String) });
    await ann.client.conversations.stopTurn({ params: { id } });
    await reading;
    await until(async () =>
      expect((await get(id)).messages[1]).toMatchObject({
        status: 'interrupted',
        error: { code: 'CANCELLED' },
      }),
    );
    model.script = says('Fine');
    await send(id, 'Next');
    expectWellFormed(promptOf());
  });
});

describe('the limit of round trips', () => {
  it('ends a turn with a stated reason, and the next turn continues with what it found', async () => {
    const id = await begin();
    model.script = (reply, { body }) =>
      JSON.stringify(body.messages.at(0)).includes('No more tool calls')
        ? says('Not finished')(reply, { body, path: '', headers: {} })
        : reply.calls(body.stream, readNotes);
    const events = await allOf(
      ann.client.conversations.sendMessageWithToolsStream({
        params: { id },
        body: { content: 'Read', maxRoundTrips: 7 },
      }),
    );
    expect(events.find(({ type }) => type === 'session:start')?.data).toMatchObject({ maxSteps: 8 });
    expect(events.find(({ type }) => type === 'complete')?.data).toMatchObject({
      toolCalls: 7,
      finishReason: 'max_round_trips',
      maxRoundTrips: 7,
    });
    expect((await get(id)).messages[1]).toMatchObject({
      content: 'Not finished',
      status: 'completed',
      finishReason: 'max_round_trips',
    });
    model.script = says('Done');
    await send(id, 'continue');
    expectWellFormed(promptOf());
    expect(promptOf().filter(({ role }) => role === 'tool')).toHaveLength(7);
  });

  it('is at most 200', async () => {
    const id = await begin();
    await expect(send(id, 'Read', { maxRoundTrips: 201 })).rejects.toMatchObject({ status: 400 });
    await expect(send(id, 'Read', { maxRoundTrips: 0 })).rejects.toMatchObject({ status: 400 });
  });
});
