import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startModelDaemon } from '../helpers/model-daemon.ts';
import { callsTools } from '../helpers/model-server.ts';
import { follow } from '../helpers/tasks.ts';

it('the built-in agent creates files with the umask of its task', async () => {
  await using both = await startModelDaemon(
    {},
    callsTools([
      [{ name: 'write_file', args: { path: 'folder/written.txt', content: 'yes' } }],
      [{ name: 'run_command', args: { command: 'touch touched.txt' } }],
    ]),
  );
  const { client, home } = both.daemon;
  await client.config.update({ params: { key: 'tools.unsandboxed' }, body: { value: 'allow' } });
  const { task } = await client.tasks.create({
    body: { title: 'Write', assignedAgent: 'builtin', securityMode: 'full', umask: 0o007 },
  });
  await follow(client, task.id);
  const modes = ['folder', 'folder/written.txt', 'touched.txt'].map((name) =>
    (statSync(join(home, 'workspaces', task.id, name)).mode & 0o777).toString(8),
  );
  expect(modes).toEqual(['770', '660', '660']);
});
