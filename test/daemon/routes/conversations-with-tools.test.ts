import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Approval } from '../../../src/contract/approvals.ts';
import type { SendWithTools } from '../../../src/contract/conversations.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { startModelDaemon } from '../../helpers/model-daemon.ts';
import { callsTools, type ModelServer, says, useModel } from '../../helpers/model-server.ts';
import { until } from '../../helpers/tasks.ts';
import { addUser, type TestUser } from '../../helpers/users.ts';
import { sized } from '../../helpers/long.ts';

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

/** A conversation of the user, with a file in its folder. */
async function begin(client = ann.client) {
  const { conversation } = await client.conversations.create({ body: {} });
  const folder = join(daemon.home, 'workspaces', conversation.id);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'notes.txt'), 'The door is blue.\n');
  return { id: conversation.id, folder };
}
const send = (id: string, body: Partial<SendWithTools> = {}, client = ann.client) =>
  client.conversations.sendMessageWithTools({ params: { id }, body: { content: 'Do it', ...body } });
const messagesOf = async (id: string) => (await ann.client.conversations.get({ params: { id } })).messages;
const lastOf = async (id: string) => (await messagesOf(id)).at(-1);
/** The answer once nothing of it is under way any more. */
const finished = (id: string, content: string) =>
  until(async () => {
    const last = await lastOf(id);
    expect(last?.content).toBe(content);
    return last;
  });
const readNotes = [{ name: 'read_file', args: { path: 'notes.txt' } }];
const writeDone = [{ name: 'write_file', args: { path: 'done.txt', content: 'yes' } }];

describe('a message with tools', () => {
  it('runs only read-only tools, and sends the results to the model', async () => {
    const { id } = await begin();
    model.script = callsTools([readNotes], 'The door is blue.');
    const answer = await send(id);
    expect(answer).toMatchObject({
      assistantMessage: { content: 'The door is blue.', provider: 'ollama', model: 'test-model' },
      usage: { promptTokens: 22, completionTokens: 14, totalTokens: 36 },
      securityMode: 'ask',
      pendingApprovals: [],
      finishReason: 'stop',
    });
    expect(answer.toolCalls).toEqual([
      {
        name: 'read_file',
        arguments: { path: 'notes.txt' },
        result: expect.stringContaining('The door is blue.'),
        status: 'success',
      },
    ]);
    expect(JSON.stringify(model.asked[1]?.body.messages.at(-1))).toContain('The door is blue.');
    const stored = await lastOf(id);
    expect(stored).toEqual(answer.assistantMessage);
    expect(stored?.toolCalls).toEqual(answer.toolCalls);
  });

  it('a message without tools sends none to the model', async () => {
    const { id } = await begin();
    const answer = await send(id, { enableTools: false });
    expect(model.asked[0]?.body.tools).toBeUndefined();
    expect(answer).toMatchObject({ toolCalls: [], assistantMessage: { content: 'Hello' } });
  });

  it('stops after five round trips, with a last answer without calls', async () => {
    const { id } = await begin();
    model.script = callsTools(Array.from({ length: 9 }, () => readNotes));
    const answer = await send(id);
    expect(model.asked).toHaveLength(6);
    expect(answer.toolCalls).toHaveLength(5);
    expect(answer).toMatchObject({
      finishReason: 'max_round_trips',
      assistantMessage: { status: 'completed', finishReason: 'max_round_trips' },
    });
  });

  it.each([
    ['a tool that is not there', { name: 'open_door', args: {} }, 'There is no tool open_door'],
    ['arguments that are not JSON', { name: 'read_file', args: '{"path":' }, 'The arguments are not valid'],
    ['arguments that do not fit', { name: 'read_file', args: { path: 7 } }, 'The arguments are not valid'],
  ])('reports %s to the model', async (_, call, reason) => {
    const { id } = await begin();
    model.script = callsTools([[call]]);
    const { toolCalls, assistantMessage } = await send(id);
    expect(toolCalls).toMatchObject([{ name: call.name, status: 'error' }]);
    expect(toolCalls[0]?.result).toContain(reason);
    expect(assistantMessage.content).toBe('All done');
  });
});

describe('the mode', () => {
  it.each([
    ['deny', { mode: 'deny' }, 'no tool may run'],
    ['sandbox', { mode: 'sandbox' }, 'not read-only'],
    ['allowlist', { mode: 'allowlist' }, 'not on the list'],
  ] as const)('the mode %s refuses a change, and the refusal is audited', async (_, { mode }, reason) => {
    const { id, folder } = await begin();
    model.script = callsTools([writeDone]);
    const { toolCalls, securityMode } = await send(id, { securityMode: mode });
    expect(securityMode).toBe(mode);
    expect(toolCalls[0]).toMatchObject({ status: 'error', result: expect.stringContaining(reason) });
    expect(() => readFileSync(join(folder, 'done.txt'))).toThrow('ENOENT');
    const { entries } = await daemon.client.audit.list({ query: { conversationId: id } });
    expect(entries).toMatchObject([
      { tool: 'write_file', approved: false, result: expect.stringContaining(reason) },
    ]);
  });

  it('the mode is never less strict than the policy, except for an administrator', async () => {
    const { id, folder } = await begin();
    model.script = callsTools([writeDone]);
    const asUser = await send(id, { securityMode: 'full' });
    expect(asUser).toMatchObject({ securityMode: 'ask', pendingApprovals: [{ toolName: 'write_file' }] });
    const asAdmin = await send(id, { securityMode: 'full' }, daemon.client);
    expect(asAdmin).toMatchObject({ securityMode: 'full', pendingApprovals: [] });
    expect(readFileSync(join(folder, 'done.txt'), 'utf8')).toBe('yes');
  });
});

/** Sends a message whose call needs a decision. */
async function ask() {
  const { id, folder } = await begin();
  model.script = callsTools([writeDone]);
  const answer = await send(id);
  const [approval] = answer.pendingApprovals as [Approval];
  return { id, folder, answer, approval };
}

describe('an approval', () => {
  it('an approval shows the whole call, and the turn continues once it is given', async () => {
    const { id, folder, answer, approval } = await ask();
    expect(approval).toMatchObject({
      status: 'pending',
      conversationId: id,
      toolName: 'write_file',
      params: { path: 'done.txt', content: 'yes' },
      securityLevel: 'medium',
    });
    expect(Date.parse(approval.expiresAt) - Date.parse(approval.requestedAt)).toBe(600_000);
    expect((await ann.client.approvals.list()).approvals).toEqual([approval]);
    expect((await ann.client.conversations.get({ params: { id } })).pendingApprovals).toEqual([approval]);
    const { approval: decided } = await ann.client.chat.decideApproval({
      body: { conversationId: id, approvalId: approval.id, decision: 'allow-once' },
    });
    expect(decided).toMatchObject({
      id: approval.id,
      status: 'approved',
      decision: 'allow-once',
      decidedBy: 'user_ann',
    });
    const message = await finished(id, 'All done');
    expect(message).toMatchObject({
      id: answer.assistantMessage.id,
      toolCalls: [{ name: 'write_file', status: 'success' }],
    });
    expect(readFileSync(join(folder, 'done.txt'), 'utf8')).toBe('yes');
    const { entries } = await daemon.client.audit.list({ query: { conversationId: id } });
    expect(entries.map(({ result, approvalDecision }) => [result.split(':')[0], approvalDecision])).toEqual([
      ['ok', 'allow-once'],
      ['intent', 'allow-once'],
      ['approved', 'allow-once'],
    ]);
    expect(await daemon.client.audit.verify()).toMatchObject({ valid: true });
  });

  it('a denied approval is reported to the model, and the tool does not run', async () => {
    const { id, folder, approval } = await ask();
    await ann.client.approvals.decide({ params: { id: approval.id }, body: { decision: 'deny' } });
    const message = await finished(id, 'All done');
    expect(message).toMatchObject({ toolCalls: [{ status: 'error', result: 'A person denied this call' }] });
    expect(() => readFileSync(join(folder, 'done.txt'))).toThrow('ENOENT');
  });

  it('an approval given with always is remembered in this conversation only', async () => {
    const { id, folder, approval } = await ask();
    await ann.client.approvals.decide({ params: { id: approval.id }, body: { decision: 'allow-always' } });
    await finished(id, 'All done');
    model.script = callsTools([[{ name: 'write_file', args: { path: 'more.txt', content: '2' } }]]);
    expect(await send(id)).toMatchObject({ pendingApprovals: [], toolCalls: [{ status: 'success' }] });
    expect(readFileSync(join(folder, 'more.txt'), 'utf8')).toBe('2');
    expect((await ask()).answer.pendingApprovals).toHaveLength(1);
  });

  it('an approval is decided once, even with many simultaneous decisions', async () => {
    const { id, folder, approval } = await ask();
    const decide = () =>
      ann.client.approvals.decide({ params: { id: approval.id }, body: { decision: 'allow-once' } }).then(
        () => 'decided',
        (error: Error) => error.message,
      );
    const outcomes = await Promise.all(Array.from({ length: sized(200, 1000) }, decide));
    expect(outcomes.filter((outcome) => outcome === 'decided')).toHaveLength(1);
    expect(new Set(outcomes)).toEqual(new Set(['decided', 'The approval is already approved']));
    await finished(id, 'All done');
    expect(readFileSync(join(folder, 'done.txt'), 'utf8')).toBe('yes');
    const { entries } = await daemon.client.audit.list({ query: { conversationId: id } });
    expect(entries.filter(({ result }) => result === 'intent')).toHaveLength(1);
  });

  it('an approval is not visible to another user or in another conversation', async () => {
    const { approval } = await ask();
    const bob = await addUser(daemon, `bob-${approval.id.slice(-8)}`);
    expect((await bob.client.approvals.list()).approvals).toEqual([]);
    await expect(
      bob.client.approvals.decide({ params: { id: approval.id }, body: { decision: 'allow-once' } }),
    ).rejects.toMatchObject({ status: 404 });
    const other = await begin();
    await expect(
      ann.client.chat.decideApproval({
        body: { conversationId: other.id, approvalId: approval.id, decision: 'allow-once' },
      }),
    ).rejects.toMatchObject({ status: 404 });
  });

  it('an approval is void once the policy has changed', async () => {
    const { id, folder, approval } = await ask();
    await daemon.client.policy.update({ body: { requireApprovalFor: ['write_file'] } });
    try {
      await ann.client.approvals.decide({ params: { id: approval.id }, body: { decision: 'allow-once' } });
      await until(async () => {
        const { approvals } = await ann.client.approvals.list();
        const again = approvals.find(({ conversationId }) => conversationId === id);
        expect(again).toBeDefined();
        expect(again?.id).not.toBe(approval.id);
      });
      expect(() => readFileSync(join(folder, 'done.txt'))).toThrow('ENOENT');
    } finally {
      await daemon.client.policy.update({ body: { requireApprovalFor: [] } });
    }
  });

  it('a new message cancels a pending approval', async () => {
    const { id, approval } = await ask();
    model.script = says('Never mind');
    await send(id);
    await expect(
      ann.client.approvals.decide({ params: { id: approval.id }, body: { decision: 'allow-once' } }),
    ).rejects.toMatchObject({ status: 400, message: 'The approval has expired' });
  });
});

describe('a stream with an approval', () => {
  it('a stream continues after an approval until it finishes', async () => {
    const { id } = await begin();
    model.script = callsTools([readNotes, writeDone]);
    const types: string[] = [];
    for await (const { data } of ann.client.conversations.sendMessageWithToolsStream({
      params: { id },
      body: { content: 'Do it' },
    })) {
      types.push(data.type);
      if (data.type === 'approval:requested')
        await ann.client.approvals.decide({
          params: { id: data.data.approval.id },
          body: { decision: 'allow-once' },
        });
    }
    expect(types).toEqual([
      'user_message',
      'session:start',
      'step:start',
      'tool:call',
      'tool:result',
      'step:complete',
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
  });
});

it('a stream continues after a restart of the daemon', async () => {
  const first = await startDaemon();
  const { home } = first;
  await useModel(first, model);
  const { conversation } = await first.client.conversations.create({ body: {} });
  const { id } = conversation;
  model.script = callsTools([writeDone]);
  const { pendingApprovals } = await first.client.conversations.sendMessageWithTools({
    params: { id },
    body: { content: 'Do it' },
  });
  await first.stop();
  await using second = await startDaemon({ home });
  await second.client.approvals.decide({
    params: { id: pendingApprovals[0]?.id ?? '' },
    body: { decision: 'allow-once' },
  });
  await until(async () => {
    const { messages } = await second.client.conversations.get({ params: { id } });
    expect(messages.at(-1)?.content).toBe('All done');
  });
  expect(readFileSync(join(home, 'workspaces', id, 'done.txt'), 'utf8')).toBe('yes');
});
