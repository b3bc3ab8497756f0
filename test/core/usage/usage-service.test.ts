import { execFileSync, spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type UsageEntry, usageGroups, type UsageSum } from '../../../src/contract/usage.ts';
import type { Caller } from '../../../src/core/auth/caller.ts';
import { toUsageCsv } from '../../../src/core/usage/usage-csv.ts';
import { UsageLedger } from '../../../src/core/usage/usage-ledger.ts';
import { UsageService } from '../../../src/core/usage/usage-service.ts';
import { sized } from '../../helpers/long.ts';
import { openStorage } from '../../helpers/storage.ts';

const admin: Caller = { userId: 'root', role: 'admin' };
const page = { limit: 500, offset: 0 };
const range = { from: '2026-01-01', to: '2026-12-31' };

async function open() {
  const storage = await openStorage();
  const clock = { time: new Date('2026-03-31T12:00:00Z') };
  const deps = {
    database: storage.database,
    runtime: { now: () => clock.time },
    reportBug: (error: unknown) => {
      throw error;
    },
  };
  const usage = new UsageLedger(deps);
  return { storage, clock, ledger: usage, reports: new UsageService({ ...deps, usage }) };
}

const record = fc.record({
  day: fc.constantFrom('2026-02-28T23:59:59.999Z', '2026-03-01T00:00:00.000Z', '2026-03-31T12:00:00.000Z'),
  usedBy: fc.record(
    {
      userId: fc.constantFrom('ann', 'bob'),
      tokenId: fc.constantFrom('tok_1', 'tok_2'),
      agent: fc.constantFrom('builtin', 'claude'),
      taskId: fc.constantFrom('task_1', 'task_2', 'task_3'),
      repository: fc.constantFrom('acme/shop', '=cmd()'),
    },
    { requiredKeys: ['userId'] },
  ),
  provider: fc.constantFrom('', 'openai'),
  model: fc.constantFrom('m', 'n/o', ''),
  inputTokens: fc.nat(1_000_000),
  outputTokens: fc.nat(1_000_000),
  cachedTokens: fc.nat(1000),
  // Sums of these are exact.
  costUsd: fc.option(
    fc.nat(64).map((n) => n / 64),
    { nil: undefined },
  ),
});

const zero: UsageSum = {
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  calls: 0,
  costUsd: 0,
  unknownCalls: 0,
};
const sumOf = (entries: readonly UsageSum[]): UsageSum =>
  entries.reduce(
    (sum, entry) =>
      Object.fromEntries(
        Object.keys(zero).map((key) => [key, sum[key as 'calls'] + entry[key as 'calls']]),
      ) as UsageSum,
    zero,
  );

describe('usage', () => {
  it('adds up to the same total by whatever it is grouped, also page by page', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(record, { maxLength: 30 }), async (records) => {
        const { storage, clock, ledger, reports } = await open();
        await using _ = storage;
        for (const { day, ...each } of records) {
          clock.time = new Date(day);
          ledger.record(each);
        }
        await ledger.idle();
        const expected = sumOf(
          records.map((each) => ({
            ...each,
            calls: 1,
            costUsd: each.costUsd ?? 0,
            unknownCalls: each.costUsd === undefined ? 1 : 0,
          })),
        );
        for (const by of usageGroups) {
          const whole = await reports.list(admin, { by, ...range, ...page });
          expect(whole.sum).toEqual(expected);
          expect(sumOf(whole.usage)).toEqual(expected);
          expect(whole.usage).toHaveLength(whole.total);
          const pages: UsageEntry[] = [];
          for (let offset = 0; offset < whole.total; offset += 2)
            pages.push(...(await reports.list(admin, { by, ...range, limit: 2, offset })).usage);
          expect(pages).toEqual(whole.usage);
          // What each key narrows down to is what the group says.
          const filter = { user: 'userId', token: 'tokenId', task: 'taskId', day: 'from', month: 'from' };
          if (by in filter && (by === 'day' || by === 'month')) continue;
          const name =
            (filter as Record<string, string>)[by] ?? (by === 'conversation' ? 'conversationId' : by);
          for (const { key, name: _name, ...sum } of whole.usage)
            expect((await reports.list(admin, { by, ...range, ...page, [name]: key })).sum).toEqual(sum);
        }
      }),
      { numRuns: sized(8, 60) },
    );
  });

  it('shows a user nothing of others, whatever the filters say', async () => {
    const { storage, ledger, reports } = await open();
    await using _ = storage;
    const call = { provider: 'p', model: 'm', inputTokens: 1, outputTokens: 1, costUsd: 1 };
    ledger.record({ ...call, usedBy: { userId: 'ann', taskId: 'task_ann', agent: 'secret' } });
    ledger.record({ ...call, usedBy: { userId: 'bob' } });
    await ledger.idle();
    const bob: Caller = { userId: 'bob', role: 'user' };
    for (const by of usageGroups)
      for (const filter of [{}, { userId: 'ann' }, { taskId: 'task_ann' }, { agent: 'secret' }]) {
        const found = await reports.list(bob, { by, ...page, ...filter });
        expect(found.sum.calls).toBe(Object.keys(filter).length === 0 ? 1 : 0);
        expect(JSON.stringify(found.usage)).not.toMatch(/ann|secret/);
        expect(await reports.csv(bob, { by, ...filter })).not.toMatch(/ann|secret/);
      }
  });

  it('has the last thirty days unless the caller names others, and refuses a range that is upside down', async () => {
    const { storage, reports } = await open();
    await using _ = storage;
    expect(await reports.list(admin, { by: 'day', ...page })).toMatchObject({
      from: '2026-03-02',
      to: '2026-03-31',
      total: 0,
      sum: zero,
    });
    await expect(
      reports.list(admin, { by: 'day', from: '2026-04-01', to: '2026-03-01', ...page }),
    ).rejects.toMatchObject({ code: 'validation' });
  });
});

const parser = spawnSync('python3', ['-c', 'import csv']).status === 0;

/** Reads CSV with the parser of Python. */
const parseCsv = (csv: string): string[][] =>
  JSON.parse(
    execFileSync(
      'python3',
      [
        '-c',
        'import csv,io,json,sys; print(json.dumps(list(csv.reader(io.StringIO(sys.stdin.buffer.read().decode("utf-8"), newline=""), strict=True))))',
      ],
      { input: csv, encoding: 'utf8' },
    ),
  ) as string[][];

describe.skipIf(!parser)('the CSV (needs python3)', () => {
  it('is read by another parser as it was written, and holds no formula', () => {
    const keys = [
      'plain',
      'a,b',
      'say "hi"',
      'two\nlines',
      'cr\r\nlf',
      '=HYPERLINK("http://x")',
      '+1',
      '-1',
      '@SUM(A1)',
      '\t=1',
      '\u200b=1',
      ' =1',
      '\uFF1D1',
      'ümläut 漢字',
      '',
    ];
    const csv = toUsageCsv(
      'task',
      keys.map((key) => ({ ...zero, key, name: key, costUsd: 1e-6, inputTokens: 5 })),
    );
    const [titles, ...rows] = parseCsv(csv);
    expect(titles?.slice(0, 3)).toEqual(['task', 'name', 'input_tokens']);
    expect(rows).toHaveLength(keys.length);
    for (const [at, row] of rows.entries()) {
      const key = keys[at] ?? '';
      const isFormula = /^[\s\u200b]*[=+\-@\uFF1D]/.test(key);
      expect(row).toEqual([
        ...Array(2).fill(isFormula ? `'${key}` : key),
        '5',
        '0',
        '0',
        '0',
        '0.000001',
        '0',
      ]);
    }
  });

  it('survives any text', () => {
    // Many at once: each start of the parser costs as much as a busy machine makes of it.
    const texts = fc.array(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 50, size: 'max' });
    fc.assert(
      fc.property(texts, (many) => {
        const keys = many.map((text) => text.replaceAll('\0', '').toWellFormed());
        const [, ...rows] = parseCsv(
          toUsageCsv(
            'agent',
            keys.map((key) => ({ ...zero, key })),
          ),
        );
        expect(rows).toHaveLength(keys.length);
        for (const [at, key] of keys.entries()) expect([key, `'${key}`]).toContain(rows[at]?.[0]);
      }),
      { numRuns: sized(2, 20) },
    );
  });
});
