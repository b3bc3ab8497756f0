import { closeSync, openSync } from 'node:fs';
import { inThread } from './in-thread.ts';

/**
 * Copies a database as it is at one moment, while others write to it. The copy has no free pages and no log beside it.
 */
export async function snapshotDatabase(source: string, target: string): Promise<void> {
  // SQLite fills an empty file, which is private already.
  closeSync(openSync(target, 'wx', 0o600));
  await inThread(
    `const database = new DatabaseSync(input.source, { readOnly: true, timeout: 5000 });
     database.prepare('vacuum into ?').run(input.target);
     database.close();`,
    { source, target },
  );
}
