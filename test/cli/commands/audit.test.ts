import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SvcHome } from '../svc-binary.ts';

it('shows the audit log and reports a failed verification', async () => {
  await using home = await SvcHome.create();
  expect((await home.svc(['tokens', 'create', 'ci', '--scope', 'tasks:read'])).code).toBe(0);
  const list = await home.svc(['audit', 'ls', '--tool', 'tokens.created']);
  expect(list.stdout).toMatch(/^TIME +EVENT +RESULT[^]*\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +tokens\.created +ok/);
  const json = await home.svc(['audit', 'ls', '--json']);
  const [entry] = (JSON.parse(json.stdout) as { entries: { id: string }[] }).entries;
  expect((await home.svc(['audit', 'show', entry?.id ?? ''])).stdout).toMatch(/tool +tokens\.created\n/);
  expect(await home.svc(['audit', 'verify'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^[0-9a-f]{64}\n$/) as string,
  });
  const database = new DatabaseSync(join(home.folder, 'svc.db'));
  database.exec("update audit_log set result = 'refused' where seq = 1");
  database.close();
  expect(await home.svc(['audit', 'verify'])).toMatchObject({
    code: 7,
    stdout: '',
    stderr: expect.stringContaining('Entry 1 was changed') as string,
  });
  expect((await home.svc(['audit', 'show', 'audit_nothing'])).code).toBe(5);
});
