import type { UsageEntry, UsageGroup, UsageSum } from '../../../contract/usage.ts';
import { formatUsageCost } from '../../../contract/usage-cost.ts';
import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { formatTokens } from '../../output/format-tokens.ts';
import type { Column } from '../../output/table.ts';
import type { Cli } from '../../program/cli.ts';

const DAY_MS = 86_400_000;

export interface UsageOptions {
  by?: UsageGroup;
  since?: number;
  from?: string;
  to?: string;
  agent?: string;
  model?: string;
  repository?: string;
  limit?: number;
  csv?: boolean;
  json?: boolean;
}

/** `svc usage`. */
export async function showUsage(cli: Cli, options: UsageOptions): Promise<void> {
  const { output } = cli;
  const { since, from, to, by = 'day', limit = 50, csv, json, agent, model, repository } = options;
  if (since !== undefined && (from !== undefined || to !== undefined))
    throw new CliError(exitCodes.usage, 'Use either --since or --from and --to.');
  const query = {
    by,
    from: since === undefined ? from : dayBefore(Date.now(), since),
    to,
    agent,
    model,
    repository,
  };
  const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
  const { client } = cli.connect();
  if (csv) {
    for await (const piece of client.usage.getCsv({ query: given })) await output.bytes(piece);
    return;
  }
  const answer = await client.usage.list({ query: { ...given, limit } });
  if (json) return output.json(answer);
  const { usage, total, sum } = answer;
  if (total === 0) return output.note(`No model was used from ${answer.from} to ${answer.to}.`);
  const lines: Line[] = [...usage, { key: '', ...sum, isTotal: true }];
  output.table(columns(by), lines);
  if (usage.length < total)
    output.note(
      `${usage.length} of ${total} lines; TOTAL counts all. Show more: --limit ${Math.min(500, total)}`,
    );
  if (sum.unknownCalls > 0) output.note('The price of a model is unknown. See the prices: svc usage prices');
}

type Line = UsageEntry & { isTotal?: true };
const columns = (by: UsageGroup): Column<Line>[] => [
  {
    title: by.toUpperCase(),
    value: (line: Line) => (line.isTotal ? 'TOTAL' : titleOf(line)),
    isElastic: true,
  },
  number('CALLS', ({ calls }) => String(calls)),
  number('INPUT', ({ inputTokens }) => formatTokens(inputTokens)),
  { ...number('CACHED', ({ cachedTokens }) => formatTokens(cachedTokens)), fromWidth: 70 },
  number('OUTPUT', ({ outputTokens }) => formatTokens(outputTokens)),
  number('COST', formatUsageCost),
];
const number = (title: string, value: (sum: UsageSum) => string): Column<Line> => ({
  title,
  value,
  align: 'right',
});

const titleOf = ({ key, name }: UsageEntry): string =>
  key === '' ? '(none)' : name === undefined ? key : `${key}  ${name}`;

/** The first of the days that `ms` reaches back to, with today. */
const dayBefore = (now: number, ms: number): string =>
  new Date(now - Math.max(0, ms - DAY_MS)).toISOString().slice(0, 10);
