import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { SvcHome } from '../svc-binary.ts';

it('shows, prunes and archives the stored data, and deletes finished tasks', async () => {
  await using home = await SvcHome.create();
  const run = await home.svc(['run', '--agent', 'command', '--', 'true']);
  expect(run.code).toBe(0);
  const [first = ''] = (await home.svc(['tasks', 'ls', '--quiet'])).stdout.split('\n');
  expect(await home.svc(['tasks', 'rm', first])).toMatchObject({ code: 0, stdout: `${first}\n` });
  expect(await home.svc(['tasks', 'rm', first])).toMatchObject({ code: 5 });

  await home.svc(['run', '--agent', 'command', '--', 'true']);
  const database = new DatabaseSync(join(home.folder, 'svc.db'));
  database.exec("update tasks set completed_at = '2020-01-01T00:00:00.000Z'");
  database.close();
  const usage = await home.svc(['data', 'usage']);
  expect(usage.stdout).toMatch(/^database +[\d.]+ KiB[^]*\ntasks +1 [^]*tasks +90 +retention\.tasksDays\n/);
  expect((await home.svc(['data', 'prune', '--dry-run'])).stdout).toMatch(
    /^WOULD REMOVE +COUNT\n[^]*tasks +1\n/,
  );
  expect((await home.svc(['data', 'prune'])).stdout).toMatch(/^REMOVED +COUNT\n[^]*tasks +1\n/);
  expect((await home.svc(['tasks', 'ls', '--quiet'])).stdout).toBe('');

  expect(await home.svc(['data', 'archive'])).toMatchObject({ code: 0, stdout: '' });
  const archive = await home.svc(['data', 'archive', '--before', '2999-01-01']);
  expect(archive.stdout).toMatch(/\/archive\/audit-000000001-\d{9}\.jsonl\.gz\n$/);
  expect(await home.svc(['audit', 'verify'])).toMatchObject({ code: 0 });
});
