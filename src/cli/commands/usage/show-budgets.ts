import type { BudgetStatus } from '../../../contract/budgets.ts';
import { formatDollars } from '../../../contract/usage-cost.ts';
import { formatTokens } from '../../output/format-tokens.ts';
import type { Cli } from '../../program/cli.ts';

const BAR = 20;

/** `svc usage budgets`. */
export async function showBudgets(cli: Cli, { json }: { json?: boolean }): Promise<void> {
  const { output } = cli;
  const answer = await cli.connect().client.usage.listBudgets();
  if (json) return output.json(answer);
  if (answer.budgets.length === 0)
    return output.note(
      `No budgets are set. Set some: svc config set budgets '[{"scope": "user", "period": "month", "usd": 50}]'`,
    );
  output.table<BudgetStatus>(
    [
      { title: 'BUDGET', value: ({ name }) => name.replace(/^the budget of /, ''), isElastic: true },
      { title: 'USED', value: usedOf, align: 'right' },
      { title: 'LIMIT', value: limitOf, align: 'right' },
      {
        title: '',
        value: barOf,
        paint: (cell, { share = 0 }) =>
          share >= 0.8 ? output.paint(share >= 1 ? 'red' : 'yellow', cell) : cell,
      },
      { title: 'AT THE LIMIT', value: ({ onReached }) => onReached, fromWidth: 90 },
    ],
    answer.budgets,
  );
}

const limitOf = ({ tokens, usd }: BudgetStatus): string =>
  [
    ...(tokens === undefined ? [] : [formatTokens(tokens)]),
    ...(usd === undefined ? [] : [formatDollars(usd)]),
  ].join(' / ');
const usedOf = ({ tokens, usd, usedTokens, usedUsd }: BudgetStatus): string =>
  usedTokens === undefined
    ? '-'
    : [
        ...(tokens === undefined ? [] : [formatTokens(usedTokens)]),
        ...(usd === undefined ? [] : [formatDollars(usedUsd ?? 0)]),
      ].join(' / ');

function barOf({ share }: BudgetStatus): string {
  if (share === undefined) return '';
  const full = Math.min(BAR, Math.floor(share * BAR));
  return `${'█'.repeat(full)}${'░'.repeat(BAR - full)} ${Math.floor(share * 100)}%`;
}
