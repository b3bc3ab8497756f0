import { expect, it } from 'vitest';
import { SvcHome } from '../../svc-binary.ts';

it('shows the budgets that are set, or how to set one', async () => {
  await using home = await SvcHome.create();
  const none = await home.svc(['usage', 'budgets']);
  expect(none).toMatchObject({ code: 0, stdout: '' });
  expect(none.stderr).toContain('svc config set budgets');
  const set = (value: unknown) => home.svc(['config', 'set', 'budgets', JSON.stringify(value)]);
  for (const bad of [
    [{ scope: 'all', period: 'day' }],
    [{ scope: 'all', match: 'x', period: 'day', usd: 1 }],
    [{ scope: 'moon', period: 'day', usd: 1 }],
    [{ scope: 'agent', period: 'day', usd: -1 }],
  ])
    expect(await set(bad)).toMatchObject({ code: 6 });
  const good = [
    { scope: 'all', period: 'month', usd: 50, tokens: 2_000_000, onReached: 'ask' },
    { scope: 'agent', match: 'claude', period: 'day', tokens: 5000 },
    { scope: 'task', period: 'run', tokens: 100_000 },
  ];
  expect(await set(good)).toMatchObject({ code: 0 });
  expect((await home.svc(['usage', 'budgets'])).stdout).toBe(
    'BUDGET                  USED        LIMIT                           AT THE LIMIT\n' +
      'the month          0 / $0.00  2M / $50.00  ░░░░░░░░░░░░░░░░░░░░ 0%  ask\n' +
      'the day of claude          0           5k  ░░░░░░░░░░░░░░░░░░░░ 0%  stop\n' +
      'each task                  -         100k                           stop\n',
  );
});
