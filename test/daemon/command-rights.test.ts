import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { providerNameSchema } from '../../src/contract/oauth.ts';
import { startDaemon, temporaryFolder, type TestDaemon } from '../helpers/daemon.ts';
import { gatewayClient, manyRequests } from '../helpers/gateway.ts';
import { follow, testAdapter } from '../helpers/tasks.ts';
import { addUser, type TestUser } from '../helpers/users.ts';

/** A second agent that runs programs, and is chosen by labels too. */
const shell = testAdapter(async () => ({ output: 'ran' }), {
  type: 'shell',
  capabilities: ['posix'],
  needs: ['command'],
});
const plain = testAdapter(async () => ({ output: 'said' }), { type: 'plain' });
const noRights = { status: 403, message: 'Only an administrator may run commands' };

let daemon: TestDaemon;
let bob: TestUser;

beforeAll(async () => {
  daemon = await startDaemon({ extraAdapters: [shell, plain], flags: manyRequests });
  bob = await addUser(daemon, 'bob');
});
afterAll(() => daemon[Symbol.asyncDispose]());

describe.each(['command', 'shell'])('the agent %s, which runs programs,', (assignedAgent) => {
  const task = { title: 'Run', prompt: 'true', assignedAgent };

  it('takes tasks of an administrator, and none of a user', async () => {
    const { task: mine } = await daemon.client.tasks.create({ body: task });
    expect((await follow(daemon.client, mine.id)).task.status).toBe('completed');
    await expect(bob.client.tasks.create({ body: task })).rejects.toMatchObject(noRights);
  });

  it('takes none of a token without the scope', async () => {
    const gateway = await gatewayClient(daemon);
    expect((await gateway.submit({ task })).status).toBe(403);
    const commander = await gatewayClient(daemon, { scopes: ['gateway:write', 'agents:command'] });
    expect((await commander.submit({ task })).status).toBe(202);
  });

  it('takes no text of a workflow for a command', async () => {
    const commander = await gatewayClient(daemon, { scopes: ['gateway:write', 'agents:command'] });
    const { status, body } = await commander.submit({ task, workflow: 'refactor' });
    expect(status).toBe(400);
    expect(body.error).toContain(`The agent "${assignedAgent}" runs its prompt as a command`);
  });

  it('takes no schedule of a user, neither a new one nor a changed one', async () => {
    const cron = '0 9 * * *';
    await expect(bob.client.schedules.create({ body: { cron, task } })).rejects.toMatchObject(noRights);
    const { schedule } = await bob.client.schedules.create({
      body: { cron, task: { ...task, assignedAgent: 'plain' } },
    });
    const change = bob.client.schedules.update({ params: { id: schedule.id }, body: { task } });
    await expect(change).rejects.toMatchObject(noRights);
  });

  it('is not reached by a user as the default agent', async () => {
    const key = 'agents.default';
    await daemon.client.config.update({ params: { key }, body: { value: assignedAgent } });
    const { task: waiting } = await bob.client.tasks.create({ body: { title: 'Sneak', prompt: 'true' } });
    const { events } = await bob.client.tasks.listEvents({ params: { id: waiting.id } });
    await daemon.client.config.update({ params: { key }, body: { value: null } });
    expect(events.at(-1)).toMatchObject({
      type: 'waiting_for_agent',
      message: `The agent "${assignedAgent}" only takes tasks from somebody who may run commands.`,
    });
  });

  it.each(providerNameSchema.options)('is no agent of a rule for %s', async (provider) => {
    const key = `webhooks.${provider}.rules`;
    const set = (agent: string) =>
      daemon.client.config.update({ params: { key }, body: { value: { 'octo/*': { agent } } } });
    await expect(set(assignedAgent)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining(`octo/*.agent: The agent "${assignedAgent}" takes no work of others`),
    });
    expect((await set('plain')).setting.value).toEqual({ 'octo/*': { agent: 'plain' } });
  });

  it('is no agent of a rule that stands in the settings file', async () => {
    const home = temporaryFolder();
    const rules = { 'octo/*': { agent: assignedAgent } };
    writeFileSync(`${home}/settings.json`, JSON.stringify({ webhooks: { tracker_a: { rules } } }));
    await expect(startDaemon({ home, extraAdapters: [shell] })).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringMatching(/settings\.json.*takes no work of others/),
    });
  });

  it('says what it needs', async () => {
    const { agents } = await daemon.client.agents.list();
    expect(agents.find(({ type }) => type === assignedAgent)?.needs).toEqual(['command']);
    expect(agents.find(({ type }) => type === 'plain')).not.toHaveProperty('needs');
    const { needs } = await daemon.client.agents.listTypes();
    expect(needs).toEqual({ command: ['command'], shell: ['command'] });
  });
});

it('chooses an agent that runs programs by labels only for who may run commands', async () => {
  const body = { title: 'By label', labels: ['posix'] };
  const { task: mine } = await daemon.client.tasks.create({ body });
  expect((await follow(daemon.client, mine.id)).task).toMatchObject({ agentType: 'shell' });
  const { task: theirs } = await bob.client.tasks.create({ body });
  const { events } = await bob.client.tasks.listEvents({ params: { id: theirs.id } });
  expect(events.map(({ type }) => type)).toEqual(['created', 'waiting_for_agent']);
});
