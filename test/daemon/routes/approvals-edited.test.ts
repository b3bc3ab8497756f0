import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Approval } from '../../../src/contract/approvals.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { callsTools, type ModelServer, startModelServer, useModel } from '../../helpers/model-server.ts';
import { follow, until } from '../../helpers/tasks.ts';

let daemon: TestDaemon;
let model: ModelServer;
beforeAll(async () => {
  model = await startModelServer();
  daemon = await startDaemon();
  await useModel(daemon, model);
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

const written = { path: 'a.txt', content: 'of the model\n' };
const edited = { path: 'b.txt', content: 'of the person\n' };

async function askedFor(where: { taskId?: string; conversationId?: string }): Promise<Approval> {
  return until(async () => {
    const { approvals } = await daemon.client.approvals.list();
    const found = approvals.find(
      ({ taskId, conversationId }) => taskId === where.taskId && conversationId === where.conversationId,
    );
    if (!found) throw new Error('There is no approval yet');
    return found;
  });
}

it('a task runs the call that the person changed, and sends the change to its model', async () => {
  model.script = callsTools([[{ name: 'write_file', args: written }]]);
  const { client } = daemon;
  const { task } = await client.tasks.create({ body: { title: 'Write', assignedAgent: 'builtin' } });
  const { id, diff } = await askedFor({ taskId: task.id });
  expect(diff).toMatchObject({
    path: 'a.txt',
    created: true,
    text: expect.stringContaining('+of the model'),
  });

  const params = { id };
  for (const wrong of [{ path: 'a.txt' }, { ...edited, path: '../b.txt' }]) {
    const refused = { status: 400, message: expect.stringMatching(/not valid|parent-directory/) };
    await expect(client.approvals.preview({ params, body: { arguments: wrong } })).rejects.toMatchObject(
      refused,
    );
    await expect(
      client.approvals.decide({ params, body: { decision: 'allow-once', arguments: wrong } }),
    ).rejects.toMatchObject(refused);
  }
  for (const decision of ['allow-always', 'deny'] as const)
    await expect(
      client.approvals.decide({ params, body: { decision, arguments: edited } }),
    ).rejects.toMatchObject({ status: 400 });
  const { approval: preview } = await client.approvals.preview({ params, body: { arguments: edited } });
  expect(preview).toMatchObject({ status: 'pending', params: edited, diff: { path: 'b.txt' } });
  expect((await client.approvals.get({ params })).approval).toMatchObject({
    status: 'pending',
    params: written,
  });

  const asked = model.asked.length;
  const body = { decision: 'allow-once', arguments: edited } as const;
  const { approval } = await client.approvals.decide({ params, body });
  expect(approval).toMatchObject({ status: 'approved', params: written, editedParams: edited });
  const { task: done, events } = await follow(client, task.id);
  expect(done.status).toBe('completed');
  expect(readFileSync(join(daemon.home, 'workspaces', task.id, 'b.txt'), 'utf8')).toBe(edited.content);
  const told = JSON.stringify(model.asked[asked]?.body.messages.at(-1));
  expect(told).toContain('The user changed the arguments of this call');
  expect(told).toContain('of the person');
  expect(events.find(({ type }) => type === 'approval_decided')?.data).toMatchObject({
    approval: { editedParams: edited },
  });
});

it('a message that returned for an approval continues with the call that the person changed', async () => {
  model.script = callsTools([[{ name: 'write_file', args: written }]]);
  const { client } = daemon;
  const { conversation } = await client.conversations.create({ body: {} });
  const params = { id: conversation.id };
  await client.conversations.sendMessageWithTools({
    params,
    body: { content: 'Write it', enableTools: true, securityMode: 'ask' },
  });
  const { id } = await askedFor({ conversationId: conversation.id });
  await client.approvals.decide({
    params: { id },
    body: { decision: 'allow-once', arguments: edited },
  });
  const answer = await until(async () => {
    const { messages } = await client.conversations.get({ params });
    const last = messages.at(-1);
    expect(last?.status).toBe('completed');
    return last;
  });
  expect(answer?.toolCalls?.[0]).toMatchObject({
    status: 'success',
    result: expect.stringContaining('path is now "b.txt"'),
  });
  expect(readFileSync(join(daemon.home, 'workspaces', conversation.id, 'b.txt'), 'utf8')).toBe(
    edited.content,
  );
});
