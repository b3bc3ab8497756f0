import { expect, it } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import type { Database } from '../../../src/core/storage/database.ts';
import { UsageLedger } from '../../../src/core/usage/usage-ledger.ts';
import { openStorage } from '../../helpers/storage.ts';

const reportBug = (error: unknown) => {
  throw error;
};
const ledgerOf = (database: Database, now = '2026-03-01T23:59:59.999Z') => {
  const clock = { time: new Date(now) };
  return { clock, ledger: new UsageLedger({ database, runtime: { now: () => clock.time }, reportBug }) };
};
const call = { provider: 'openai', model: 'gpt', inputTokens: 10, outputTokens: 2 };
const rowsOf = (database: Database) =>
  database.read.selectFrom('usage').selectAll().orderBy('day').orderBy('task_id').execute();

it('adds up the calls of a day for the same user, token, agent, model, repository and task', async () => {
  await using storage = await openStorage();
  const { ledger, clock } = ledgerOf(storage.database);
  const usedBy = { userId: 'u', tokenId: 't', agent: 'a', taskId: 'task_1', repository: 'o/r' };
  ledger.record({ ...call, usedBy, cachedTokens: 4, costUsd: 0.25 });
  ledger.record({ ...call, usedBy, costUsd: undefined });
  ledger.record({ ...call, usedBy: { userId: 'u' }, costUsd: 0.5 });
  clock.time = new Date('2026-03-02T00:00:00.000Z');
  ledger.record({ ...call, usedBy, costUsd: 1 });
  await ledger.idle();
  expect(await rowsOf(storage.database)).toMatchObject([
    { day: '2026-03-01', task_id: '', token_id: '', input_tokens: 10, cost_usd: 0.5, unknown_calls: 0 },
    {
      day: '2026-03-01',
      owner_id: 'u',
      token_id: 't',
      agent: 'a',
      provider: 'openai',
      model: 'gpt',
      repository: 'o/r',
      task_id: 'task_1',
      conversation_id: '',
      input_tokens: 20,
      output_tokens: 4,
      cached_tokens: 4,
      calls: 2,
      cost_usd: 0.25,
      unknown_calls: 1,
    },
    { day: '2026-03-02', task_id: 'task_1', calls: 1, cost_usd: 1 },
  ]);
});

it('loses nothing where two daemons record at the same time', async () => {
  await using storage = await openStorage();
  const [a, b] = [ledgerOf(storage.database).ledger, ledgerOf(storage.database).ledger];
  for (let index = 0; index < 200; index++)
    for (const ledger of [a, b])
      ledger.record({ ...call, usedBy: { userId: 'u', taskId: `task_${index % 3}` }, costUsd: 0.5 });
  await Promise.all([a.idle(), b.idle()]);
  const rows = await rowsOf(storage.database);
  expect(rows.map(({ calls }) => calls).reduce((sum, calls) => sum + calls)).toBe(400);
  expect(rows.map(({ cost_usd }) => cost_usd).reduce((sum, cost) => sum + cost)).toBe(200);
});

it('keeps what the disk does not take for the next write', async () => {
  await using storage = await openStorage();
  const { database } = storage;
  let isFull = true;
  const refusing = {
    ...database,
    write: (...work: Parameters<Database['write']>) =>
      isFull ? Promise.reject(new AppError('storage_full', 'full')) : database.write(...work),
  } as Database;
  const { ledger } = ledgerOf(refusing);
  ledger.record({ ...call, usedBy: { userId: 'u' }, costUsd: 1 });
  await ledger.idle();
  isFull = false;
  ledger.record({ ...call, usedBy: { userId: 'u' }, costUsd: 1 });
  await ledger.idle();
  expect(await rowsOf(database)).toMatchObject([{ calls: 2, cost_usd: 2 }]);
});

it('joins the commit of what is written in the same moment', async () => {
  await using storage = await openStorage(false);
  const { database } = storage;
  const { ledger } = ledgerOf(database);
  const before = database.commits();
  const written = database.write(async (transaction) =>
    transaction.insertLater('state', { key: 'k', value: 'v' }),
  );
  ledger.record({ ...call, usedBy: { userId: 'u' }, costUsd: 1 });
  await Promise.all([written, ledger.idle()]);
  expect(database.commits() - before).toBe(1);
});
