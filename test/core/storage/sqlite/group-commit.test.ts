import { describe, expect, it } from 'vitest';
import type { WriteTransaction } from '../../../../src/core/storage/database.ts';
import { factsIn, keep, openTestDatabase } from './test-database.ts';

const messages = (results: PromiseSettledResult<unknown>[]) =>
  results.map((result) => (result.status === 'rejected' ? (result.reason as Error).message : 'stored'));

describe('concurrent writes', () => {
  it('concurrent writes share a commit', async () => {
    await using test = await openTestDatabase();
    const before = test.database.commits();
    await Promise.all(Array.from({ length: 100 }, (_, n) => test.database.write(keep(`fact ${n}`))));
    expect(test.database.commits() - before).toBe(1);
    expect(factsIn(test.file)).toHaveLength(100);
  });

  it('concurrent writes take the fewest commits that the group size allows', async () => {
    await using test = await openTestDatabase();
    const before = test.database.commits();
    await Promise.all(Array.from({ length: 1000 }, (_, n) => test.database.write(keep(`fact ${n}`))));
    expect(test.database.commits() - before).toBeLessThanOrEqual(4);
    expect(factsIn(test.file)).toHaveLength(1000);
  });

  it('concurrent writes run in order, each sees the earlier ones', async () => {
    await using test = await openTestDatabase();
    const count = async ({ db }: WriteTransaction) => {
      const { length } = await db.selectFrom('state').select('key').where('key', 'like', 'fact%').execute();
      await keep(`fact ${length}`)({ db } as WriteTransaction);
      return length;
    };
    const seen = await Promise.all([1, 2, 3, 4].map(() => test.database.write(count)));
    expect(seen).toEqual([0, 1, 2, 3]);
  });
});

describe('an answer', () => {
  it('a write resolves after the commit and its callbacks', async () => {
    await using test = await openTestDatabase();
    const order: string[] = [];
    const write = test.database.write(async (transaction) => {
      await keep('fact')(transaction);
      transaction.insertLater('state', { key: 'fact later', value: '1' });
      transaction.afterCommit(() => order.push(`callback ${factsIn(test.file).join()}`));
      order.push(`work ${factsIn(test.file).join()}`);
      return 'value';
    });
    expect(await write.then((value) => order.push(value))).toBe(3);
    expect(order).toEqual(['work ', 'callback fact,fact later', 'value']);
  });

  it('a commit is flushed to the disk', async () => {
    await using test = await openTestDatabase();
    expect(test.writer.prepare('pragma synchronous').get()).toEqual({ synchronous: 2 });
    expect(test.writer.prepare('pragma journal_mode').get()).toEqual({ journal_mode: 'wal' });
  });

  it('a write resolves although a callback throws', async () => {
    await using test = await openTestDatabase();
    const called: string[] = [];
    await test.database.write(async (transaction) => {
      await keep('fact')(transaction);
      transaction.afterCommit(() => {
        throw new Error('a bug');
      });
      transaction.afterCommit(() => called.push('second'));
    });
    expect(called).toEqual(['second']);
    expect(test.bugs).toMatchObject([{ message: 'a bug' }]);
    expect(factsIn(test.file)).toEqual(['fact']);
  });

  it('a read sees nothing of a pending write and everything of a resolved one', async () => {
    await using test = await openTestDatabase();
    const { read } = test.database;
    const facts = async () =>
      (await read.selectFrom('state').select('key').where('key', '=', 'fact').execute()).length;
    let during: number | undefined;
    await test.database.write(async (transaction) => {
      await keep('fact')(transaction);
      during = await facts();
    });
    expect([during, await facts()]).toEqual([0, 1]);
  });
});

describe('a write that fails', () => {
  const failures: [string, (transaction: WriteTransaction) => Promise<void>][] = [
    [
      'before it wrote',
      async () => {
        throw new Error('before');
      },
    ],
    [
      'after it wrote',
      async (transaction) => {
        await keep('fact of the failure')(transaction);
        transaction.insertLater('state', { key: 'fact left for later', value: '1' });
        throw new Error('after');
      },
    ],
    [
      'by a rule of the database',
      async (transaction) => {
        await keep('fact of the failure')(transaction);
        await keep('fact of the failure')(transaction);
      },
    ],
    [
      'by a rule of the database at the end of the transaction',
      async (transaction) => {
        await keep('fact of the failure')(transaction);
        transaction.insertLater('state', { key: 'fact of the failure', value: '1' });
      },
    ],
  ];

  it.each(failures)('a failing write leaves the others intact: %s', async (_, fail) => {
    await using test = await openTestDatabase();
    const callbacks: number[] = [];
    const good = (n: number) => async (transaction: WriteTransaction) => {
      await keep(`fact ${n}`)(transaction);
      transaction.afterCommit(() => callbacks.push(n));
    };
    const bad = async (transaction: WriteTransaction) => {
      transaction.afterCommit(() => callbacks.push(-1));
      await fail(transaction);
    };
    const results = await Promise.allSettled([
      test.database.write(good(1)),
      test.database.write(good(2)),
      test.database.write(bad),
      test.database.write(good(3)),
      test.database.write(good(4)),
    ]);
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    expect(factsIn(test.file)).toEqual(['fact 1', 'fact 2', 'fact 3', 'fact 4']);
    expect(callbacks).toEqual([1, 2, 3, 4]);
    await test.database.write(keep('fact 5'));
    expect(factsIn(test.file)).toHaveLength(5);
  });

  it('each failing write of a group gets its own error', async () => {
    await using test = await openTestDatabase();
    const fail = (name: string) => async (transaction: WriteTransaction) => {
      await keep(name)(transaction);
      throw new Error(name);
    };
    const results = await Promise.allSettled(['a', 'b', 'c'].map((name) => test.database.write(fail(name))));
    expect(messages(results)).toEqual(['a', 'b', 'c']);
  });

  it('a failing write leaves sums unchanged', async () => {
    await using test = await openTestDatabase();
    const key = { owner_id: 'user', day: '2030-01-01' };
    const add = (fails: boolean) => async (transaction: WriteTransaction) => {
      transaction.addLater('task_days', key, { created: 1, completed: 2, failed: 0 });
      if (fails) {
        await keep('fact')(transaction);
        throw new Error('no');
      }
    };
    await Promise.allSettled([false, true, false].map((fails) => test.database.write(add(fails))));
    const days = await test.database.read.selectFrom('task_days').selectAll().execute();
    expect(days).toEqual([{ ...key, created: 2, completed: 4, failed: 0 }]);
  });
});

describe('closing', () => {
  it('closing waits for pending writes', async () => {
    const test = await openTestDatabase();
    const writes = [1, 2, 3].map((n) => test.database.write(keep(`fact ${n}`)));
    const stored: string[][] = [];
    const last = writes.at(-1)?.then(() => stored.push(factsIn(test.file)));
    await test[Symbol.asyncDispose]();
    await last;
    expect(stored).toEqual([['fact 1', 'fact 2', 'fact 3']]);
  });
});

describe('two databases in one process', () => {
  it('two databases in one process are independent', async () => {
    await using one = await openTestDatabase();
    await using two = await openTestDatabase();
    await Promise.all([one.database.write(keep('fact 1')), two.database.write(keep('fact 2'))]);
    expect([factsIn(one.file), factsIn(two.file)]).toEqual([['fact 1'], ['fact 2']]);
  });
});

describe('a write that may wait', () => {
  it('shares the commit of the next one that may not, in their order', async () => {
    await using test = await openTestDatabase();
    const before = test.database.commits();
    const order: string[] = [];
    const add = (name: string, mayWaitMs?: number) =>
      test.database
        .write(keep(`fact ${name}`), mayWaitMs === undefined ? {} : { mayWaitMs })
        .then(() => order.push(name));
    const waiting = [add('a', 60_000), add('b', 60_000)];
    await test.database.read.selectFrom('state').select('key').execute();
    expect(factsIn(test.file)).toEqual([]);
    await Promise.all([...waiting, add('c')]);
    expect(order).toEqual(['a', 'b', 'c']);
    expect(test.database.commits() - before).toBe(1);
    const last = add('d', 60_000);
    await add('e');
    await last;
    expect(test.database.commits() - before).toBe(2);
  });

  it('is stored after that time by itself, and when the database closes', async () => {
    await using test = await openTestDatabase();
    await test.database.write(keep('fact 1'), { mayWaitMs: 1 });
    expect(factsIn(test.file)).toEqual(['fact 1']);
    const waiting = test.database.write(keep('fact 2'), { mayWaitMs: 60_000 });
    await test.database.close();
    await waiting;
    expect(factsIn(test.file)).toEqual(['fact 1', 'fact 2']);
  });
});
