import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../helpers/daemon.ts';
import { startModelDaemon } from '../helpers/model-daemon.ts';
import { callsTools } from '../helpers/model-server.ts';
import { follow } from '../helpers/tasks.ts';

function plantProject(): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'api'));
  writeFileSync(join(folder, 'AGENTS.md'), 'Run make check before you finish.');
  writeFileSync(join(folder, 'api/AGENTS.md'), 'The API speaks Esperanto.');
  writeFileSync(join(folder, 'api/main.ts'), 'export {};');
  return folder;
}

const systemText = (messages: { role: string; content: unknown }[] = []) =>
  JSON.stringify(messages.filter(({ role }) => role === 'system' || role === 'developer'));

it('a task in a project follows its AGENTS.md, and a nested one from when it touches its files', async () => {
  const cwd = plantProject();
  await using both = await startModelDaemon(
    {},
    callsTools([[{ name: 'read_file', args: { path: 'api/main.ts' } }]]),
  );
  const { client } = both.daemon;
  const { task } = await client.tasks.create({ body: { title: 'Look', assignedAgent: 'builtin', cwd } });
  const { events } = await follow(client, task.id);
  const [first, second] = both.model.asked.map(({ body }) => systemText(body.messages));
  expect(first).toContain('Run make check before you finish.');
  expect(first).not.toContain('Esperanto');
  expect(second).toContain('The API speaks Esperanto.');
  const start = events.find(({ data }) => data['type'] === 'session:start');
  expect(start).toMatchObject({
    data: { instructionFiles: ['AGENTS.md'] },
    message: 'Started test-model, following AGENTS.md',
  });
});

it('a conversation in a project follows it too, and one in a directory of its own nothing that was written there', async () => {
  const cwd = plantProject();
  await using both = await startModelDaemon();
  const { client, home } = both.daemon;
  for (const directory of [cwd, undefined]) {
    const { conversation } = await client.conversations.create({
      body: directory === undefined ? {} : { cwd: directory },
    });
    if (directory === undefined) {
      const own = join(home, 'workspaces', conversation.id);
      mkdirSync(own, { recursive: true });
      writeFileSync(join(own, 'AGENTS.md'), 'Run make check before you finish.');
    }
    await client.conversations.sendMessageWithTools({
      params: { id: conversation.id },
      body: { content: 'Hello' },
    });
  }
  const told = both.model.asked.map(({ body }) => systemText(body.messages).includes('Run make check'));
  expect(told).toEqual([true, false]);
});
