import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasPostgres, newPostgresDatabase } from '../../helpers/postgres-server.ts';
import { ensureBuilt, SvcHome } from '../svc-binary.ts';

beforeAll(ensureBuilt);

describe('svc storage copy', () => {
  it('explains a target that it does not know, and a missing URL', async () => {
    await using home = await SvcHome.create();
    expect(await home.svc(['storage', 'copy', '--to', 'mysql'])).toMatchObject({ code: 2 });
    const none = await home.svc(['storage', 'copy', '--to', 'postgres']);
    expect(none).toMatchObject({ code: 78, stderr: expect.stringContaining('DATABASE_URL') });
  });

  it('never prints the password of a server that cannot be reached', async () => {
    await using home = await SvcHome.create();
    writeFileSync(join(home.folder, 'identity'), `${'5e'.repeat(32)}\n`, { mode: 0o600 });
    const env = { DATABASE_URL: 'postgres://svc:hunter2@127.0.0.1:1/svc' };
    const away = await home.svc(['storage', 'copy', '--to', 'postgres', '--debug'], { env });
    expect(away.code).not.toBe(0);
    expect(away.stderr).toContain('PostgreSQL at 127.0.0.1:1/svc cannot be reached');
    expect(`${away.stdout}${away.stderr}`).not.toContain('hunter2');
  });

  it.skipIf(!hasPostgres)(
    'moves a home there and back, and says what is next (needs PostgreSQL)',
    async () => {
      await using home = await SvcHome.create();
      writeFileSync(join(home.folder, 'identity'), `${'5e'.repeat(32)}\n`, { mode: 0o600 });
      const database = await newPostgresDatabase('none');
      const env = { DATABASE_URL: database.url };
      const there = await home.svc(['storage', 'copy', '--to', 'postgres'], { env });
      expect(there).toMatchObject({ code: 0, stdout: '' });
      expect(there.stderr).toContain('To go back: svc storage copy --to sqlite');
      const started = await home.svc(['daemon']);
      expect(started).toMatchObject({ code: 78, stderr: expect.stringContaining('svc storage reopen') });
      const back = await home.svc(['storage', 'copy', '--to', 'sqlite', '--json'], { env });
      expect(JSON.parse(back.stdout)).toMatchObject({ audit: { valid: true }, wasComplete: false });
      await database.drop();
    },
  );
});
