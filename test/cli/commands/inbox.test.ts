import { beforeAll, describe, expect, it } from 'vitest';
import type { Inbox } from '../../../src/contract/inbox.ts';
import type { Notification } from '../../../src/contract/notifications.ts';
import { type ContractServer, startContractServer } from '../../helpers/contract-server.ts';
import { ensureBuilt, SvcHome } from '../svc-binary.ts';
import { idOf } from './webhook-samples.ts';

const at = '2026-01-01T10:00:00.000Z';
const notification: Notification = {
  id: idOf('ntf', 1),
  type: 'push_failed',
  title: 'The branch was not pushed',
  message: 'GitHub refused it',
  data: {},
  createdAt: at,
};
const inbox: Inbox = {
  items: [
    { kind: 'queue', message: 'The queue is paused. Tasks wait until it is resumed.' },
    {
      kind: 'agent',
      agent: { type: 'claude', name: 'Claude Code', message: 'claude needs a login', hint: 'Run claude' },
    },
    {
      kind: 'dead_letter',
      deadLetter: {
        id: idOf('dlq', 1),
        taskId: idOf('task', 1),
        title: 'Nightly \u202eimport',
        attempts: 3,
        class: 'quota',
        firstError: 'x',
        lastError: 'Nothing left',
        createdAt: at,
        status: 'pending',
      },
    },
    { kind: 'notification', notification },
  ],
  counts: { needsYou: 5, approvals: 0, deadLetters: 2, notifications: 1, unread: 2 },
  running: { tasks: [], total: 3 },
  queued: 1,
  completed: { tasks: [], total: 41, since: at },
};

let home: SvcHome;
let server: ContractServer;
let empty: boolean;

beforeAll(async () => {
  ensureBuilt();
  home = await SvcHome.create();
  server = await startContractServer({
    inbox: {
      get: () => (empty ? { ...inbox, items: [], counts: { ...inbox.counts, needsYou: 0 } } : inbox),
      markRead: () => ({ message: 'Notifications marked as read', marked: 2 }),
    },
    notifications: {
      list: () => ({ notifications: [notification], total: 1, unread: 1, limit: 500, offset: 0 }),
      markRead: () => ({ notification: { ...notification, readAt: at } }),
      markUnread: () => ({ notification }),
    },
  });
  return async () => {
    await server[Symbol.asyncDispose]();
    await home[Symbol.asyncDispose]();
  };
});

const svc = (...args: string[]) => home.svc(['inbox', ...args, '--url', server.url]);

describe('svc inbox', () => {
  it('lists what waits with the next command, and says what is running', async () => {
    empty = false;
    const { stdout, stderr } = await svc();
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(5);
    expect(lines[1]).toMatch(/queue .*The queue is paused.* svc queue resume$/);
    expect(lines[2]).toMatch(/login .*claude needs a login .*svc agents test claude$/);
    expect(lines[3]).toMatch(/dead letter .*Nightly \\u\{202e\}import: Nothing left .*svc dlq retry dlq_/);
    expect(lines[4]).toMatch(/notification .*The branch was not pushed .*svc inbox read ntf_/);
    expect(stderr).toContain('4 of 5. More: --limit');
    expect(stderr).toContain('3 running, 1 queued, 41 completed today');
  });

  it('says where nothing waits', async () => {
    empty = true;
    const { stdout, stderr } = await svc();
    expect(stdout).toBe('');
    expect(stderr).toContain('Nothing needs you.');
  });

  it('prints the answer as JSON', async () => {
    empty = false;
    expect(JSON.parse((await svc('--json')).stdout)).toEqual(inbox);
  });

  it('marks notifications as read and unread', async () => {
    expect((await svc('read')).stderr).toContain('2 notifications marked as read.');
    expect(await svc('read', notification.id)).toMatchObject({ stdout: `${notification.id}\n`, code: 0 });
    expect(await svc('unread', '0001')).toMatchObject({ stdout: `${notification.id}\n`, code: 0 });
    expect((await svc('unread')).code).toBe(2);
  });
});
