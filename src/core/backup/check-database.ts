import { inThread } from './in-thread.ts';

/** What is wrong with a database, read from its first page to its last; undefined if nothing is. */
export async function findDamage(file: string): Promise<string | undefined> {
  const answer = await inThread(
    `try {
       const database = new DatabaseSync(input.file, { readOnly: true, timeout: 5000 });
       database.exec('pragma trusted_schema = off');
       answer(String(database.prepare('pragma integrity_check(1)').get().integrity_check));
       database.close();
     } catch (error) {
       answer(error.message);
     }`,
    { file },
  );
  return answer === 'ok' ? undefined : String(answer);
}
