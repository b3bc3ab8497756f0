import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { follow, testAdapter } from '../helpers/tasks.ts';
import { addUser, type TestUser } from '../helpers/users.ts';

const doing = testAdapter(async () => ({ output: 'done' }), { type: 'doing' });

describe('the agents of a plain user', () => {
  let daemon: TestDaemon;
  let bob: TestUser;
  beforeAll(async () => {
    daemon = await startDaemon({ extraAdapters: [doing] });
    bob = await addUser(daemon, 'bob');
  });
  afterAll(() => daemon[Symbol.asyncDispose]());

  it('a user cannot reach the command agent as the default agent', async () => {
    await daemon.client.config.update({ params: { key: 'agents.default' }, body: { value: 'command' } });
    const { task } = await bob.client.tasks.create({ body: { title: 'Sneak', prompt: 'echo ran' } });
    const { events } = await bob.client.tasks.listEvents({ params: { id: task.id } });
    expect(events.map(({ type }) => type)).toEqual(['created', 'waiting_for_agent']);
    await daemon.client.tasks.create({ body: { title: 'Mine', prompt: 'true' } }).then(async (created) => {
      const { task: ended } = await follow(daemon.client, created.task.id);
      expect(ended).toMatchObject({ status: 'completed', agentType: 'command' });
    });
    expect((await bob.client.tasks.get({ params: { id: task.id } })).task.status).toBe('pending');
    await daemon.client.config.update({ params: { key: 'agents.default' }, body: { value: null } });
  });

  it('a user cannot reach the command agent by labels', async () => {
    const { task } = await bob.client.tasks.create({
      body: { title: 'Sneak', labels: ['command', 'shell'] },
    });
    expect((await bob.client.tasks.get({ params: { id: task.id } })).task.status).toBe('pending');
  });

  it('a user may use other agents', async () => {
    const { task } = await bob.client.tasks.create({ body: { title: 'Work', assignedAgent: 'doing' } });
    expect((await follow(bob.client, task.id)).task.status).toBe('completed');
  });
});
