/**
 * One of several processes that start on the same data folder at the same moment: it gets ready, waits for the word of
 * its parent, and says whether it got the folder. The winner keeps it until the parent lets go.
 */
import { join } from 'node:path';
import { lockDataDirectory } from '../../../src/core/storage/data-lock.ts';
import { openSqlite } from '../../../src/core/storage/sqlite/open-sqlite.ts';

const [home = ''] = process.argv.slice(2);

process.on('disconnect', () => process.exit(0));
process.once('message', () => {
  start().then(
    (installed) => process.send?.({ won: true, installed }),
    (error: unknown) => process.send?.({ won: false, message: error instanceof Error ? error.message : '' }),
  );
});
process.send?.({ ready: true });

/** The first part of a start; answers how many daemons have written into the database before. */
async function start(): Promise<number> {
  await lockDataDirectory(join(home, 'daemon.lock'), join(home, 'svc.db'));
  const database = await openSqlite({
    file: join(home, 'svc.db'),
    synchronous: 'FULL',
    cacheMiB: 1,
    reportBug: (error) => {
      throw error;
    },
  });
  const key = `winner-${process.pid}`;
  await database.write(({ db }) =>
    db
      .insertInto('state')
      .values({ key, value: '1' })
      .onConflict((conflict) => conflict.column('key').doNothing())
      .execute(),
  );
  const { length } = await database.read.selectFrom('state').select('key').execute();
  return length;
}
