import { describe, expect, it } from 'vitest';
import { type Budget, budgetPeriods, budgetSchema, budgetScopes } from '../../../src/contract/budgets.ts';
import { Budgets } from '../../../src/core/budgets/budgets.ts';
import { BudgetService } from '../../../src/core/budgets/budget-service.ts';
import { systemRuntime } from '../../../src/core/runtime.ts';
import type { NewNotification } from '../../../src/core/notifications/notification-service.ts';
import type { Database } from '../../../src/core/storage/database.ts';
import { UsageLedger } from '../../../src/core/usage/usage-ledger.ts';
import type { UsedBy } from '../../../src/core/usage/usage-record.ts';
import { openStorage } from '../../helpers/storage.ts';

const reportBug = (error: unknown) => {
  throw error;
};

/** What one daemon has around a database. */
function daemonOf(
  database: Database,
  budgets: readonly Partial<Budget>[],
  settings: Record<string, unknown> = {},
) {
  const clock = { time: new Date('2026-03-31T12:00:00Z'), ms: 0 };
  const values: Record<string, unknown> = {
    'agents.tokensPerDay': {},
    'agents.costPerDay': {},
    ...settings,
    budgets: budgets.map((budget) => budgetSchema.parse(budget)),
  };
  const config = { get: (key: string) => values[key] } as never;
  const runtime = { ...systemRuntime, now: () => clock.time, monotonic: () => (clock.ms += 2000) };
  const usage = new UsageLedger({ database, runtime, reportBug });
  const sent: NewNotification[] = [];
  const notifications = { add: (_: unknown, notification: NewNotification) => void sent.push(notification) };
  const parts = { database, config, runtime, usage, notifications, reportBug };
  const all = new Budgets(parts);
  const use = async (usedBy: UsedBy, tokens: number, costUsd = 0) => {
    usage.record({ usedBy, provider: 'p', model: 'm', inputTokens: tokens, outputTokens: 0, costUsd });
    await usage.idle();
    await all.idle();
  };
  return { clock, usage, sent, use, budgets: all, service: new BudgetService({ ...parts, budgets: all }) };
}

const work = {
  userId: 'ann',
  tokenId: 'tok_1',
  agent: 'claude',
  taskId: 'task_1',
  repository: 'acme/shop',
} satisfies UsedBy;
/** Work that differs in what a scope looks at. */
const others = {
  all: undefined,
  task: { ...work, taskId: 'task_2' },
  agent: { ...work, agent: 'codex' },
  token: { ...work, tokenId: 'tok_2' },
  user: { ...work, userId: 'bob' },
  repository: { ...work, repository: 'acme/api' },
};
const matches = {
  all: undefined,
  task: 'task_1',
  agent: 'claude',
  token: 'tok_1',
  user: 'ann',
  repository: 'acme/shop',
};
const addUser = (database: Database, id: string, email: string) =>
  database.write(({ db }) =>
    db
      .insertInto('users')
      .values({ id, email, name: id, role: 'user', onboarding_completed: 0, created_at: '2026-01-01' })
      .execute(),
  );
const spent = (period: string) => ({ name: 'AgentFailure', failure: 'budget', code: `${period}_budget` });

describe.each(budgetScopes.flatMap((scope) => budgetPeriods.map((period) => ({ scope, period }))))(
  'a budget of $scope and $period',
  ({ scope, period }) => {
    it.each([
      ['each one', undefined, { tokens: 1000 }],
      ['one that it names', matches[scope], { usd: 1 }],
    ])('holds for %s, and for nothing else', async (_, match, limit) => {
      await using storage = await openStorage();
      const budget = { scope, period, ...(match !== undefined && { match }), ...limit };
      const daemon = daemonOf(storage.database, [budget]);
      const run = await daemon.budgets.begin(work);
      await daemon.use(work, 1000, 1);
      // The last of it may be used.
      expect(run.check()).toBeUndefined();
      expect(run.check({ tokens: 1, usd: 0.01 })).toMatchObject(spent(period));
      await daemon.use(work, 1, 0.01);
      expect(run.check()).toMatchObject(spent(period));
      run.end();
      await expect(daemon.budgets.begin(work)).rejects.toMatchObject(spent(period));
      const other = others[scope];
      if (other && period !== 'run') await expect(daemon.budgets.begin(other)).resolves.toBeDefined();
      if (period === 'run') {
        const next = { ...work, taskId: 'task_3' };
        if (!(scope === 'task' && match !== undefined))
          await expect(daemon.budgets.begin(next)).resolves.toBeDefined();
        return;
      }
      // The month ends with the day.
      daemon.clock.time = new Date('2026-04-01T00:00:00Z');
      await expect(daemon.budgets.begin(work)).resolves.toBeDefined();
    });
  },
);

it('counts a month from its first day, and a day from midnight UTC', async () => {
  await using storage = await openStorage();
  const daemon = daemonOf(storage.database, [
    { scope: 'user', period: 'month', tokens: 3000 },
    { scope: 'user', period: 'day', tokens: 2000 },
  ]);
  daemon.clock.time = new Date('2026-02-28T23:59:59.999Z');
  await daemon.use(work, 5000);
  daemon.clock.time = new Date('2026-03-01T00:00:00.000Z');
  await daemon.use(work, 2000);
  await expect(daemon.budgets.begin(work)).rejects.toMatchObject({
    ...spent('day'),
    resetsAt: Date.parse('2026-03-02'),
  });
  daemon.clock.time = new Date('2026-03-02T00:00:00.000Z');
  await daemon.use(work, 1000);
  await expect(daemon.budgets.begin(work)).rejects.toMatchObject({
    ...spent('month'),
    resetsAt: Date.parse('2026-04-01'),
    message:
      'The budget of the month of the user ann is used up: 3000 tokens. The next month begins on 2026-04-01 at 00:00 UTC',
  });
});

it('shares the counts of several daemons, and still knows them after a restart', async () => {
  await using storage = await openStorage();
  const list = [{ scope: 'agent', period: 'day', tokens: 10_000 }] as const;
  const [a, b] = [daemonOf(storage.database, list), daemonOf(storage.database, list)];
  const running = await a.budgets.begin(work);
  const each = 20;
  for (let index = 0; index < each; index++) await Promise.all([a.use(work, 300), b.use(work, 300)]);
  await expect(a.budgets.begin(work)).rejects.toMatchObject(spent('day'));
  await expect(b.budgets.begin(work)).rejects.toMatchObject(spent('day'));
  expect(running.check()).toMatchObject(spent('day'));
  const restarted = daemonOf(storage.database, list);
  await expect(restarted.budgets.begin(work)).rejects.toMatchObject(spent('day'));
  const [status] = await restarted.service.list({ userId: 'root', role: 'admin' });
  expect(status).toMatchObject({ usedTokens: 2 * each * 300 });
  // Both notices once, whichever of the two was first.
  expect([...a.sent, ...b.sent].filter(({ type }) => type === 'budget_warning')).toEqual([]);
});

it('notifies its user at 80 % and at its end, once for each budget and period, of all daemons', async () => {
  await using storage = await openStorage();
  const list = [{ scope: 'user', period: 'day', tokens: 10_000 }] as const;
  const [a, b] = [daemonOf(storage.database, list), daemonOf(storage.database, list)];
  const sent = () => [...a.sent, ...b.sent];
  const noted: string[] = [];
  await a.budgets.begin(work, { note: (message) => noted.push(message) });
  await a.use(work, 7999);
  expect(sent()).toEqual([]);
  await a.use(work, 1);
  const warning = {
    userId: 'ann',
    type: 'budget_warning',
    title: '80 % of the budget of the day of the user ann is used: 8000 of 10000 tokens',
    taskId: 'task_1',
  };
  expect(sent()).toMatchObject([warning]);
  expect(noted).toEqual([warning.title]);
  await Promise.all([a.use(work, 500), b.use(work, 500), b.use({ ...work, taskId: 'task_2' }, 500)]);
  expect(sent()).toHaveLength(1);
  await Promise.all([a.use(work, 500), b.use(work, 500)]);
  expect(sent().map(({ type }) => type)).toEqual(['budget_warning', 'budget_reached']);
  for (const daemon of [a, b]) daemon.clock.time = new Date('2026-04-01T08:00:00Z');
  await b.use(work, 8500);
  expect(sent().map(({ type }) => type)).toEqual(['budget_warning', 'budget_reached', 'budget_warning']);
});

describe('a budget of a pattern', () => {
  it('is one sum of all that match, over days and daemons', async () => {
    await using storage = await openStorage();
    const list = [{ scope: 'repository', match: 'acme/*', period: 'month', tokens: 3000 }] as const;
    const [a, b] = [daemonOf(storage.database, list), daemonOf(storage.database, list)];
    const of = (repository: string): UsedBy => ({ ...work, repository });
    for (const daemon of [a, b]) daemon.clock.time = new Date('2026-03-01T12:00:00Z');
    await a.use(of('acme/shop'), 1000);
    for (const other of ['ACME/shop', 'acme', 'acmeX/y', 'gitlab.com/acme/z', 'zeta/q'])
      await a.use(of(other), 5000);
    for (const daemon of [a, b]) daemon.clock.time = new Date('2026-03-31T12:00:00Z');
    const run = await a.budgets.begin(of('acme/shop'));
    await b.use(of('acme/web/api'), 999);
    await b.budgets.begin(of('acme/new'));
    // Of another daemon, and of this one after the last reading.
    await a.use(of('acme/new'), 1000);
    await a.budgets.begin(of('acme/new'));
    expect(run.check({ tokens: 1, usd: 0 })).toBeUndefined();
    expect(run.check({ tokens: 2, usd: 0 })).toMatchObject(spent('month'));
    await b.use(of('acme/new'), 1);
    for (const daemon of [a, b])
      await expect(daemon.budgets.begin(of('acme/never-used'))).rejects.toMatchObject({
        ...spent('month'),
        message: expect.stringContaining(
          'The budget of the month of the repositories acme/* is used up: 3000 tokens',
        ),
      });
    await expect(a.budgets.begin(of('zeta/q'))).resolves.toBeDefined();
    expect(
      await daemonOf(storage.database, list).service.list({ userId: 'root', role: 'admin' }),
    ).toMatchObject([
      {
        name: 'the budget of the month of the repositories acme/*',
        key: 'acme/*',
        usedTokens: 3000,
        share: 1,
      },
    ]);
  });

  it('counts each record once, also of all agents together', async () => {
    await using storage = await openStorage();
    const daemon = daemonOf(storage.database, [
      { scope: 'agent', match: '*', period: 'day', usd: 3 },
      { scope: 'agent', match: 'c*', period: 'day', tokens: 3000 },
    ]);
    const run = await daemon.budgets.begin(work);
    await daemon.use(work, 1000, 1);
    await daemon.use({ ...work, agent: 'codex' }, 1000, 1);
    await daemon.use({ ...work, agent: 'gemini' }, 5000, 1);
    expect(run.check()).toBeUndefined();
    expect(run.check({ tokens: 1001, usd: 0 })).toMatchObject({
      message: expect.stringContaining('of the agents c*'),
    });
    expect(run.check({ tokens: 0, usd: 0.01 })).toMatchObject({
      message: expect.stringContaining('of the agents *'),
    });
    await daemon.budgets.idle();
  });

  it('finds users by their e-mail addresses, and notifies administrators', async () => {
    await using storage = await openStorage();
    const { database } = storage;
    await addUser(database, 'ann', 'ann@example.org');
    await addUser(database, 'bob', 'bob@example.org');
    await addUser(database, 'eve', 'eve@example.com');
    await database.write(({ db }) =>
      db.updateTable('users').set({ role: 'admin' }).where('id', '=', 'eve').execute(),
    );
    const daemon = daemonOf(database, [
      { scope: 'user', match: '*@Example.org', period: 'day', tokens: 3000 },
      { scope: 'user', match: 'eve@example.com', period: 'day', tokens: 1000 },
    ]);
    await daemon.use(work, 1400);
    await daemon.use({ ...work, userId: 'bob' }, 1000);
    await daemon.use({ ...work, userId: 'eve' }, 999);
    expect(daemon.sent).toMatchObject([
      {
        userId: 'eve',
        type: 'budget_warning',
        title: expect.stringContaining('users *@Example.org is used'),
      },
      {
        userId: 'eve',
        type: 'budget_warning',
        title: expect.stringContaining('user eve@example.com is used'),
      },
    ]);
    await daemon.use(work, 600);
    await expect(daemon.budgets.begin({ ...work, userId: 'bob' })).rejects.toMatchObject(spent('day'));
    await expect(daemon.budgets.begin({ ...work, userId: 'eve' })).resolves.toBeDefined();
    await daemon.use({ ...work, userId: 'eve' }, 1);
    await expect(daemon.budgets.begin({ ...work, userId: 'eve' })).rejects.toMatchObject(spent('day'));
    // What others used is not for users to see.
    expect(await daemon.service.list({ userId: 'ann', role: 'user' })).toEqual([]);
  });

  it('of runs holds for each task of those that match', async () => {
    await using storage = await openStorage();
    const daemon = daemonOf(storage.database, [
      { scope: 'repository', match: '*/shop', period: 'run', tokens: 1000 },
    ]);
    await daemon.use(work, 1000);
    await expect(daemon.budgets.begin(work)).rejects.toMatchObject(spent('run'));
    await expect(daemon.budgets.begin({ ...work, taskId: 'task_2' })).resolves.toBeDefined();
  });

  it.each([
    [{ scope: 'all', match: '*' }, 'The scope all has nothing to match'],
    [{ scope: 'token', match: 'tok_*' }, 'Expected the id of a token'],
    [{ scope: 'task', match: '*' }, 'Expected the id of a task'],
    [{ scope: 'repository', match: 'acme/{a,b}' }, 'other patterns'],
    [{ scope: 'repository', match: 'acme/a acme/b' }, 'other patterns'],
    [{ scope: 'agent', match: 'cl?ude' }, 'other patterns'],
    [{ scope: 'user', match: 'ann*' }, 'Expected a pattern of e-mail addresses'],
  ])('is refused as %j', (budget, message) => {
    const { error } = budgetSchema.safeParse({ ...budget, period: 'day', tokens: 1000 });
    expect(error?.issues).toMatchObject([{ path: ['match'], message: expect.stringContaining(message) }]);
  });
});

it('refuses work that is no task with the time until it may be tried again', async () => {
  await using storage = await openStorage();
  const daemon = daemonOf(storage.database, [{ scope: 'token', period: 'day', usd: 0.5 }]);
  const call = { userId: 'ann', tokenId: 'tok_1', conversationId: 'conv_1' };
  await daemon.budgets.require(call);
  await daemon.use(call, 10, 0.5);
  await expect(daemon.budgets.require(call)).rejects.toMatchObject({
    code: 'rate_limited',
    retryAfterMs: 12 * 3_600_000,
  });
  // A task has its own check, which may ask.
  await daemon.budgets.require({ ...call, taskId: 'task_1', agent: 'builtin' });
});

it('holds what the older settings and tokens say, in one list', async () => {
  await using storage = await openStorage();
  await addUser(storage.database, 'ann', 'a@example.org');
  await storage.database.write(({ db }) =>
    db
      .insertInto('api_tokens')
      .values({
        id: 'tok_1',
        owner_id: 'ann',
        name: 'ci',
        token_hash: 'x',
        prefix: 'x',
        scopes: '[]',
        created_at: '2026-01-01',
        tokens_per_month: 4000,
        cost_per_day: 2,
      })
      .execute(),
  );
  const daemon = daemonOf(storage.database, [], {
    'limits.tokensPerDay': 100_000,
    'agents.costPerDay': { claude: 3 },
  });
  await daemon.use(work, 3000, 1);
  const names = async (caller: Parameters<BudgetService['list']>[0]) =>
    (await daemon.service.list(caller)).map(({ name, share, setBy }) => [name, share, setBy]);
  expect(await names({ userId: 'root', role: 'admin' })).toEqual([
    ['the budget of the day', 0.03, 'limits.tokensPerDay'],
    ['the budget of the day of claude', 1 / 3, 'agents.costPerDay'],
    ['the budget of the day of the API token ci', 0.5, 'token'],
    ['the budget of the month of the API token ci', 0.75, 'token'],
  ]);
  expect((await names({ userId: 'ann', role: 'user' })).map(([name]) => name)).toEqual([
    'the budget of the day of the API token ci',
    'the budget of the month of the API token ci',
  ]);
  expect(await names({ userId: 'bob', role: 'user' })).toEqual([]);
  await daemon.use(work, 1000);
  await expect(daemon.budgets.begin(work)).rejects.toMatchObject(spent('month'));
});
