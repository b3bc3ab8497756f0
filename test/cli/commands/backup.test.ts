import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { startLoopbackServer } from '../../core/outbound/loopback-server.ts';
import { hasPostgres, newPostgresDatabase } from '../../helpers/postgres-server.ts';
import { newProEnvironment, placeSeed } from '../../helpers/pro-environment.ts';
import { hasRedis } from '../../helpers/redis-server.ts';
import { ensureBuilt, SvcHome } from '../svc-binary.ts';

beforeAll(ensureBuilt);

describe('svc backup and svc restore', () => {
  it('move everything to another home, the identity only if asked', async () => {
    await using home = await SvcHome.create();
    const file = join(home.folder, 'moved.tar.gz');
    // No daemon runs yet: it is started as for every other command.
    const first = await home.svc(['backup', file]);
    expect(first).toMatchObject({ code: 0, stdout: `${file}\n` });
    expect(first.stderr).toMatch(/Backup written and checked: .* svc 0\.[^]*svc devices identity --export/);
    expect(statSync(file).mode & 0o777).toBe(0o600);

    await home.svc(['config', 'set', 'queue.retry.attempts', '7']);
    const before = readFileSync(file);
    const again = await home.svc(['backup', file]);
    expect(again).toMatchObject({ code: 6, stdout: '' });
    expect(again.stderr).toBe(`svc: ${file} already exists. Choose another name, or replace it: --force\n`);
    expect(readFileSync(file).equals(before)).toBe(true);
    const whole = await home.svc(['backup', file, '--force', '--identity', '--json']);
    expect(JSON.parse(whole.stdout)).toMatchObject({ file, identity: true, bytes: statSync(file).size });

    const running = await home.svc(['restore', file]);
    expect(running.code).toBe(6);
    expect(running.stderr).toContain('Another daemon uses this data folder');
    expect(running.stderr).toContain('Stop it first: svc daemon stop');
    expect(readdirSync(home.folder).filter((name) => name.startsWith('.'))).toEqual([]);

    await using other = await SvcHome.create();
    const restored = await other.svc(['restore', '--paused', file]);
    expect(restored).toMatchObject({ code: 0, stdout: '' });
    expect(restored.stderr).toMatch(
      /^Restored the backup of .*\nWhat was there before is in .*before-restore-[^]*\nStart it: svc daemon start\n.*svc queue resume\n$/,
    );
    expect(readFileSync(join(other.folder, 'identity'))).toEqual(readFileSync(join(home.folder, 'identity')));
    expect((await other.svc(['config', 'get', 'queue.retry.attempts'])).stdout).toBe('7\n');
    expect((await other.svc(['queue', 'status'])).stdout).toMatch(/^state +paused\n/);
    expect((await other.svc(['doctor', '--json'])).stdout).not.toContain('"fail"');
  });

  it('keeps nothing of a backup that breaks off or is none', async () => {
    await using home = await SvcHome.create();
    const part = gzipSync(Buffer.alloc(100_000)).subarray(0, 60);
    await using server = await startLoopbackServer((response, { path }) => {
      response.writeHead(200, { 'content-type': 'application/gzip' });
      if (path.startsWith('/broken')) response.write(part, () => response.destroy());
      else response.end(gzipSync('nothing'));
    });
    const file = join(home.folder, 'b.tar.gz');
    const backup = (path: string) => home.svc(['backup', file, '--url', `${server.url}${path}`]);
    expect(await backup('/broken')).toMatchObject({ code: 69, stdout: '' });
    const none = await backup('');
    expect(none).toMatchObject({ code: 7, stdout: '' });
    expect(none.stderr).toContain('The backup failed its check and was not kept.');
    expect(readdirSync(home.folder).filter((name) => /^\.|tar/.test(name))).toEqual([]);
  });

  it('work on the machine of the daemon where the identity or the files are needed', async () => {
    await using home = await SvcHome.create();
    const file = join(home.folder, 'b.tar.gz');
    const far = await home.svc(['backup', '--identity', file, '--url', 'http://127.0.0.1:1']);
    expect(far).toMatchObject({ code: 2 });
    expect(far.stderr).toContain('The identity can only be read on the machine of the daemon.');
    expect(existsSync(file)).toBe(false);
    const remote = await home.svc(['restore', file, '--url', 'http://127.0.0.1:1']);
    expect(remote).toMatchObject({ code: 2 });
    expect((await home.svc(['restore', file])).code).toBe(5);
    writeFileSync(file, 'no backup');
    const damaged = await home.svc(['restore', file]);
    expect(damaged).toMatchObject({ code: 6 });
    expect(damaged.stderr).toMatch(/^svc: This is not a whole backup of svc: .* Nothing was changed\.\n$/);
    const blocked = await home.svc(['backup', join(home.folder, 'none', 'b.tar.gz')]);
    expect(blocked).toMatchObject({ code: 5 });
  });

  it.skipIf(!hasPostgres || !hasRedis)(
    'bring a cluster to an empty database, and to a home without one (needs PostgreSQL and Redis)',
    async () => {
      await using home = await SvcHome.create();
      const environment = await newProEnvironment();
      const restored = await newPostgresDatabase('none');
      const seed = join(home.folder, 'seed');
      const env = { ...environment.env, SVC_MASTER_SEED_FILE: seed };
      const target = { ...env, DATABASE_URL: restored.url };
      placeSeed(seed, environment.seed);
      const file = join(home.folder, 'cluster.tar.gz');
      expect(await home.svc(['backup', file, '--identity'], { env })).toMatchObject({
        code: 0,
        stdout: `${file}\n`,
      });
      expect((await home.svc(['config', 'set', 'queue.retry.attempts', '7'], { env })).code).toBe(0);
      expect((await home.svc(['backup', file, '--identity', '--force'], { env })).code).toBe(0);

      const running = await home.svc(['restore', file], { env: target });
      expect(running).toMatchObject({
        code: 6,
        stderr: expect.stringMatching(/Another daemon uses.*Stop it first: svc daemon stop/),
      });
      await using other = await SvcHome.create();
      const used = await other.svc(['restore', file], { env });
      expect(used).toMatchObject({
        code: 6,
        stderr: expect.stringContaining('Daemons of the cluster run: '),
      });
      const fresh = { ...target, SVC_MASTER_SEED_FILE: join(other.folder, 'seed') };
      const done = await other.svc(['restore', '--paused', file], { env: fresh });
      expect(done).toMatchObject({ code: 0, stdout: '' });
      expect(done.stderr).toMatch(
        /^Restored the backup of .* copied and compared \d+ rows of \d+ tables\.\n1 setting that[^]*The audit log is intact: \d+ entries\.\nThe master seed of the backup is in .*seed\.\n[^]*svc queue resume\n$/,
      );
      expect(done.stderr).not.toContain('svc@');
      const again = await other.svc(['restore', '--paused', '--json', file], { env: fresh });
      expect(JSON.parse(again.stdout)).toMatchObject({
        wasComplete: true,
        identity: 'kept',
        audit: { valid: true },
      });
      expect((await other.svc(['config', 'get', 'queue.retry.attempts'], { env: fresh })).stdout).toBe('7\n');
      expect((await other.svc(['queue', 'status'], { env: fresh })).stdout).toMatch(/^state +paused\n/);

      await using alone = await SvcHome.create();
      expect(await alone.svc(['restore', file])).toMatchObject({ code: 0 });
      expect((await alone.svc(['config', 'get', 'queue.retry.attempts'])).stdout).toBe('7\n');
      await Promise.all([
        home.svc(['daemon', 'stop'], { env }),
        other.svc(['daemon', 'stop'], { env: fresh }),
      ]);
      await Promise.all([environment.remove(), restored.drop()]);
    },
    180_000,
  );
});
