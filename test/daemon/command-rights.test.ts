import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { vendors } from '../../src/contract/vendors.ts';
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

describe.each(['command', 'shell'])('the agent %s, which executes programs,', (assignedAgent) => {
  const task = { title: 'Run', prompt: 'true', assignedAgent };

  it('an agent that executes programs takes tasks of an administrator, and none of a user', async () => {
    const { task: mine } = await daemon.client.tasks.create({ body: task });
    expect((await follow(daemon.client, mine.id)).task.status).toBe('completed');
    await expect(bob.client.tasks.create({ body: task })).rejects.toMatchObject(noRights);
  });

  it('an agent that executes programs takes no task of a token without the scope', async () => {
    const gateway = await gatewayClient(daemon);
    expect((await gateway.submit({ task })).status).toBe(403);
    const commander = await gatewayClient(daemon, { scopes: ['gateway:write', 'agents:command'] });
    expect((await commander.submit({ task })).status).toBe(202);
  });

  it('an agent that executes programs takes no workflow text as a command', async () => {
    const commander = await gatewayClient(daemon, { scopes: ['gateway:write', 'agents:command'] });
    const { status, body } = await commander.submit({ task, workflow: 'refactor' });
    expect(status).toBe(400);
    expect(body.error).toContain(`The agent "${assignedAgent}" runs its prompt as a command`);
  });

  it('a user can neither create a schedule for an agent that executes programs nor change one to it', async () => {
    const cron = '0 9 * * *';
    await expect(bob.client.schedules.create({ body: { cron, task } })).rejects.toMatchObject(noRights);
    const { schedule } = await bob.client.schedules.create({
      body: { cron, task: { ...task, assignedAgent: 'plain' } },
    });
    const change = bob.client.schedules.update({ params: { id: schedule.id }, body: { task } });
    await expect(change).rejects.toMatchObject(noRights);
  });

  it('a user cannot reach an agent that executes programs as the default agent', async () => {
    const key = 'agents.default';
    await daemon.client.config.update({ params: { key }, body: { value: assignedAgent } });
    const { task: waiting } = await bob.client.tasks.create({ body: { title: 'Sneak', prompt: 'true' } });
    const { events } = await bob.client.tasks.listEvents({ params: { id: waiting.id } });
    await daemon.client.config.update({ params: { key }, body: { value: null } });
    expect(events.at(-1)).toMatchObject({
      type: 'waiting_for_agent',
      message: `The agent "${assignedAgent}" only takes tasks from users with command rights.`,
    });
  });

  it.each(vendors)('rejects an agent that executes programs in a webhook rule for %s', async (vendor) => {
    const key = `webhooks.${vendor}.rules`;
    const set = (agent: string) =>
      daemon.client.config.update({ params: { key }, body: { value: { 'octo/*': { agent } } } });
    await expect(set(assignedAgent)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining(`octo/*.agent: The agent "${assignedAgent}" takes no work of others`),
    });
    expect((await set('plain')).setting.value).toEqual({ 'octo/*': { agent: 'plain' } });
  });

  it('an agent that executes programs is rejected in a webhook rule of the settings file', async () => {
    const home = temporaryFolder();
    const rules = { 'octo/*': { agent: assignedAgent } };
    writeFileSync(`${home}/settings.json`, JSON.stringify({ webhooks: { tracker_a: { rules } } }));
    await expect(startDaemon({ home, extraAdapters: [shell] })).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringMatching(/settings(\.json| of the cluster).*takes no work of others/),
    });
  });

  it('an agent that executes programs describes the right that it needs', async () => {
    const { agents } = await daemon.client.agents.list();
    expect(agents.find(({ type }) => type === assignedAgent)?.needs).toEqual(['command']);
    expect(agents.find(({ type }) => type === 'plain')).not.toHaveProperty('needs');
    const { needs } = await daemon.client.agents.listTypes();
    expect(needs).toMatchObject({ command: ['command'], shell: ['command'], claude: ['command'] });
    expect(needs).not.toHaveProperty('plain');
  });
});

it('labels choose an agent that executes programs only for users who may run commands', async () => {
  const body = { title: 'By label', labels: ['posix'] };
  const { task: mine } = await daemon.client.tasks.create({ body });
  expect((await follow(daemon.client, mine.id)).task).toMatchObject({ agentType: 'shell' });
  const { task: theirs } = await bob.client.tasks.create({ body });
  const { events } = await bob.client.tasks.listEvents({ params: { id: theirs.id } });
  expect(events.map(({ type }) => type)).toEqual(['created', 'waiting_for_agent']);
});
