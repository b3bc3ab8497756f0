import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import type { Approval } from '../../../../src/contract/approvals.ts';
import { newApproval } from '../../../helpers/approvals.ts';
import { SvcHome } from '../../svc-binary.ts';

/** A call that waits in the database of a running daemon. */
function ask(home: SvcHome, id: string): void {
  const row = {
    ...newApproval({ arguments: '{"command":"rm -rf build"}', run_id: id, binding: id, scope_id: id }),
    id,
    status: 'pending',
    requested_at: new Date().toISOString(),
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
  };
  const database = new DatabaseSync(join(home.folder, 'svc.db'));
  const columns = Object.keys(row);
  database
    .prepare(`insert into approvals (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`)
    .run(...Object.values(row));
  database.close();
}

it('signs with the key of the machine, which the audit log proves without the daemon', async () => {
  await using home = await SvcHome.create();
  const { code } = await home.svc(['config', 'set', 'approvals.requireSignature', 'always']);
  expect(code).toBe(0);
  const token = await home.svc(['tokens', 'create', 'ci', '--scope', 'tasks:write', '--json']);
  const { token: secret } = JSON.parse(token.stdout) as { token: string };
  ask(home, 'appr_1');
  ask(home, 'appr_2');

  const refused = await home.svc(['approvals', 'allow', 'appr_1'], { env: { SVC_TOKEN: secret } });
  expect(refused.code).not.toBe(0);
  expect(await home.svc(['approvals', 'keys', 'ls'])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('No keys yet') as string,
  });
  expect(await home.svc(['approvals', 'allow', 'appr_1'])).toMatchObject({ code: 0, stdout: 'appr_1\n' });
  expect(await home.svc(['approvals', 'deny', 'appr_2', '--reason', ' too much '])).toMatchObject({
    code: 0,
  });
  const shown = await home.svc(['approvals', 'show', 'appr_1']);
  expect(shown.stdout).toMatch(/Decided +\S+ +by \S.* on the command line of this machine, signed\n/);
  const denied = await home.svc(['approvals', 'show', 'appr_2', '--json']);
  expect((JSON.parse(denied.stdout) as { approval: Approval }).approval.decider).toMatchObject({
    via: 'owner',
    signed: true,
  });

  const keys = await home.svc(['approvals', 'keys', 'ls']);
  expect(keys.stdout).toMatch(/\* +\S+ +the command line of this machine/);
  const [id = ''] = (await home.svc(['approvals', 'keys', 'ls', '--quiet'])).stdout.split('\n');
  const verified = { code: 0, stderr: expect.stringContaining('2 of 2 decisions') as string };
  expect(await home.svc(['audit', 'verify'])).toMatchObject(verified);

  const later = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  const archive = (await home.svc(['data', 'archive', '--before', later])).stdout.trim();
  await home.svc(['daemon', 'stop']);
  const offline = { env: { SVC_NO_AUTOSTART: '1' } };
  expect(await home.svc(['audit', 'verify', archive], offline)).toMatchObject(verified);
  const forged = gunzipSync(readFileSync(archive)).toString().replace('rm -rf build', 'rm -rf other');
  const copy = join(home.folder, 'forged.jsonl.gz');
  writeFileSync(copy, gzipSync(forged));
  expect(await home.svc(['audit', 'verify', copy], offline)).toMatchObject({
    code: 7,
    stderr: expect.stringContaining('was changed') as string,
  });
  expect((await home.svc(['audit', 'verify', join(home.folder, 'nothing')], offline)).code).not.toBe(0);

  expect(await home.svc(['approvals', 'keys', 'rm', id])).toMatchObject({ code: 0, stdout: `${id}\n` });
});

it('says what stands in the way of a signature that is needed', async () => {
  await using home = await SvcHome.create();
  writeFileSync(join(home.folder, 'device-key.pem'), 'no key', { mode: 0o600 });
  expect((await home.svc(['queue', 'status'])).code).toBe(0);
  ask(home, 'appr_1');
  ask(home, 'appr_2');
  // None is needed, so none is made.
  expect(await home.svc(['approvals', 'allow', 'appr_1'])).toMatchObject({ code: 0 });
  const shown = await home.svc(['approvals', 'show', 'appr_1']);
  expect(shown.stdout).toContain('on the command line of this machine, not signed');
  await home.svc(['config', 'set', 'approvals.requireSignature', 'high-danger']);
  expect(await home.svc(['approvals', 'allow', 'appr_2'])).toMatchObject({
    stdout: '',
    stderr: expect.stringContaining('is not an Ed25519 key') as string,
  });
  expect(await home.svc(['approvals', 'deny', 'appr_2'])).toMatchObject({ code: 0 });
});
