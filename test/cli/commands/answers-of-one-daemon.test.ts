import { beforeAll, expect, it } from 'vitest';
import type { Setting } from '../../../src/contract/config.ts';
import { startContractServer } from '../../helpers/contract-server.ts';
import { ensureBuilt, SvcHome } from '../svc-binary.ts';

beforeAll(ensureBuilt);

const setting = (change: Partial<Setting>): Setting => ({
  key: 'backup.directory',
  value: '/backups',
  default: null,
  origin: 'settings',
  description: '',
  environment: 'SVC_BACKUP_DIRECTORY',
  needsRestart: false,
  isSecret: false,
  scope: 'daemon',
  ...change,
});

it('names the daemon whose agents are listed', async () => {
  await using home = await SvcHome.create();
  await using server = await startContractServer({
    agents: { list: () => ({ agents: [], daemon: 'web-2' }) },
  });
  const { stderr } = await home.svc(['agents', 'ls', '--url', server.url]);
  expect(stderr).toContain(
    'These are of the daemon web-2. A task runs on any that has its agent: svc cluster ls\n',
  );
});

it('names the daemon whose setting was changed, and how to change that of the others', async () => {
  await using home = await SvcHome.create();
  let answered = setting({});
  await using server = await startContractServer({
    config: {
      list: () => ({ settings: [answered], total: 1, limit: 50, offset: 0, hasMore: false }),
      update: () => ({
        message: '',
        setting: answered,
        ...(answered.scope === 'daemon' && { daemon: 'web-2' }),
      }),
    },
  });
  const set = (value: string) =>
    home.svc(['config', 'set', answered.key, value, '--url', server.url]).then(({ stderr }) => stderr);
  const others =
    'Other daemons have a value of their own. Set it at the address of each, or as SVC_BACKUP_DIRECTORY in their environment.\n';
  expect(await set('/backups')).toBe(`backup.directory is /backups on web-2 (settings).\n${others}`);
  answered = setting({ value: '/old', pending: '/backups', needsRestart: true });
  expect(await set('/backups')).toBe(
    `backup.directory will be /backups on web-2 after a restart: svc daemon restart\n${others}`,
  );
  answered = setting({ key: 'queue.name', scope: 'cluster', value: 'a', pending: 'b', needsRestart: true });
  expect(await set('b')).toBe('queue.name will be b after a restart of every daemon.\n');
});
