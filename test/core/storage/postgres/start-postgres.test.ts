import { expect, it } from 'vitest';
import { onPostgres, startPostgres } from '../../../../src/core/storage/postgres/start-postgres.ts';
import { hasPostgres, newPostgresDatabase, queryOnce } from '../../../helpers/postgres-server.ts';

const serverAt = (url: URL) => ({
  url: url.href,
  prepared: true,
  readers: 1,
  writers: 1,
  reportBug: (error: unknown) => expect.fail(String(error)),
});

it.skipIf(!hasPostgres)('a missing database comes with the command that creates it', async () => {
  const { url: text, drop } = await newPostgresDatabase('none');
  const url = new URL(text);
  url.pathname = '/svc_new';
  await expect(onPostgres(serverAt(url), 'svc-test', async () => undefined)).rejects.toMatchObject({
    code: 'configuration',
    message: expect.stringMatching(
      /^PostgreSQL has no database 127\.0\.0\.1:\d+\/svc_new\. Create it: createdb --owner=svc --encoding=UTF8 --template=template0 svc_new$/,
    ),
  });
  await drop();
});

it.skipIf(!hasPostgres)('a user who may create no tables is told to own the database', async () => {
  const { url: text, drop } = await newPostgresDatabase('none');
  await queryOnce(text, 'create role guest login');
  const url = new URL(text);
  url.username = 'guest';
  await expect(startPostgres(serverAt(url))).rejects.toMatchObject({
    code: 'configuration',
    message: expect.stringMatching(/too few rights.*Make it the owner of the database: ALTER DATABASE/),
  });
  await drop();
  await queryOnce(new URL('/postgres', text).href, 'drop role guest');
});
