import { beforeAll, expect, it } from 'vitest';
import type { Task } from '../../../../src/contract/task.ts';
import { type ContractServer, startContractServer } from '../../../helpers/contract-server.ts';
import { ensureBuilt, SvcHome } from '../../svc-binary.ts';

beforeAll(ensureBuilt);

it('a task that no daemon can run says which label is missing', async () => {
  await using home = await SvcHome.create();
  const made = await home.svc([
    'tasks',
    'create',
    '--prompt',
    'true',
    '--agent',
    'command',
    '--needs',
    'tpu',
    '--needs',
    'gpu',
  ]);
  expect(made).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('No daemon has the labels gpu, tpu.'),
  });
  const shown = await home.svc(['tasks', 'show', made.stdout.trim()]);
  expect(shown.stdout).toMatch(/^Status +pending$/m);
  expect(shown.stdout).toMatch(/^Needs +tpu, gpu$/m);
  const logs = await home.svc(['tasks', 'logs', made.stdout.trim()]);
  expect(logs.stderr).toContain(
    'waiting for a daemon: No daemon has the labels gpu, tpu. See: svc cluster ls',
  );
  const attached = await home.svc(['run', '--agent', 'command', '--needs', 'tpu', 'true']);
  expect(attached).toMatchObject({
    code: 78,
    stderr: 'svc: No daemon has the label tpu. See: svc cluster ls\n',
  });
  const wrong = await home.svc(['tasks', 'create', '--title', 'Train', '--needs', 'g pu']);
  expect(wrong).toMatchObject({ code: 6, stderr: expect.stringContaining('Expected a label such as gpu') });
});

it('svc tasks show and svc cluster ls name the host, the daemon and its labels', async () => {
  await using home = await SvcHome.create();
  const at = '2026-11-27T08:00:00.000Z';
  const task: Task = {
    id: 'task_01a21bf0-98fc-7119-8817-b415506b79d8',
    title: 'Train',
    status: 'completed',
    priority: 3,
    source: 'api',
    labels: [],
    attempts: 1,
    maxAttempts: 3,
    createdAt: at,
    updatedAt: at,
    needs: ['gpu'],
    home: 'box',
    daemon: { id: 'daemon_2', name: 'web-2', host: 'box' },
  };
  await using server: ContractServer = await startContractServer({
    tasks: { get: () => ({ task }) },
    cluster: {
      get: () => ({
        mode: 'pro',
        answeredBy: 'daemon_1',
        daemons: [
          {
            id: 'daemon_2',
            name: 'web-2',
            host: 'box',
            version: '0.1.0',
            role: 'all',
            labels: ['gpu', 'large'],
            agents: ['builtin'],
            startedAt: at,
            lastSeenAt: at,
            running: 0,
            slots: 2,
            drained: false,
            state: 'ready',
          },
        ],
      }),
    },
  });
  const shown = await home.svc(['tasks', 'show', task.id, '--url', server.url]);
  expect(shown.stdout).toMatch(/^Host +box$/m);
  expect(shown.stdout).toMatch(/^Daemon +web-2 on box {2}\(daemon_2\)$/m);
  const listed = await home.svc(['cluster', 'ls', '--url', server.url]);
  expect(listed.stdout).toMatch(/web-2 .*gpu, large/);
});
