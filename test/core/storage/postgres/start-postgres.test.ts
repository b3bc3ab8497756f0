import { expect, it } from 'vitest';
import { onPostgres } from '../../../../src/core/storage/postgres/start-postgres.ts';
import { hasPostgres, newPostgresDatabase } from '../../../helpers/postgres-server.ts';

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
