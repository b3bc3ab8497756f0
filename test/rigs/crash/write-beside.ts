import type { WriteTransaction } from '../../../src/core/storage/database.ts';
import { replaceMethod } from './replace-method.ts';

/** Gives faults a way to write in a transaction of their own. */
export async function writeBeside() {
  const { GroupCommit } = await import('../../../src/core/storage/sqlite/group-commit.ts');
  type Run = (work: (transaction: WriteTransaction) => Promise<void>) => Promise<void>;
  let write: Run | undefined;
  replaceMethod(GroupCommit.prototype, 'run', (run) => {
    write = run;
    return run;
  });
  return async (work: (transaction: WriteTransaction) => Promise<void>): Promise<void> => {
    await write?.(work);
  };
}
