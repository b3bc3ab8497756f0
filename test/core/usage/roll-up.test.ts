import { expect, it } from 'vitest';
import { rollUpBefore } from '../../../src/core/usage/roll-up.ts';
import { UsageLedger } from '../../../src/core/usage/usage-ledger.ts';
import { UsageService } from '../../../src/core/usage/usage-service.ts';
import { openStorage } from '../../helpers/storage.ts';

it('adds up old usage over tasks and conversations, and keeps every other sum', async () => {
  await using storage = await openStorage();
  const { database } = storage;
  const clock = { time: new Date('2026-01-01T12:00:00Z') };
  const deps = {
    database,
    runtime: { now: () => clock.time },
    reportBug: (error: unknown) => {
      throw error;
    },
  };
  const ledger = new UsageLedger(deps);
  for (const day of ['2026-01-01', '2026-01-02', '2026-01-03']) {
    clock.time = new Date(`${day}T12:00:00Z`);
    for (let index = 0; index < 1200; index++)
      ledger.record({
        usedBy: {
          userId: `user_${index % 2}`,
          agent: 'claude',
          ...(index % 3 > 0 && { taskId: `task_${index}` }),
          ...(index % 5 === 0 && { conversationId: `conv_${index % 7}` }),
        },
        provider: 'p',
        model: 'm',
        inputTokens: index,
        outputTokens: 1,
        costUsd: index % 4 === 0 ? undefined : 0.25,
      });
    await ledger.idle();
  }
  const reports = new UsageService({ ...deps, usage: ledger });
  const sums = () =>
    Promise.all(
      (['day', 'user', 'agent', 'model'] as const).map((by) =>
        reports.list(
          { userId: 'root', role: 'admin' },
          { by, from: '2026-01-01', to: '2026-01-31', limit: 500, offset: 0 },
        ),
      ),
    );
  const before = await sums();
  await rollUpBefore(database, '2026-01-03');
  expect(await sums()).toEqual(before);
  const rows = await database.read.selectFrom('usage').select(['day', 'task_id']).execute();
  // One for each user; the day that is not old has all of its rows.
  expect(rows.filter(({ day }) => day < '2026-01-03')).toHaveLength(4);
  expect(rows.filter(({ day }) => day === '2026-01-03').length).toBeGreaterThan(800);
});
