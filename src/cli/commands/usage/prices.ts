import type { ListedPrice, Price } from '../../../contract/prices.ts';
import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { escapeLine } from '../../output/escape-text.ts';
import type { Cli } from '../../program/cli.ts';

const KEY = 'models.prices';
/** A price without fields that are undefined. */
type JsonPrice = Record<string, string | number>;

/** `svc usage prices`. */
export async function listPrices(cli: Cli, { set, json }: { set?: boolean; json?: boolean }): Promise<void> {
  const { output } = cli;
  const answer = await cli.connect().client.usage.listPrices();
  if (json) return output.json(answer);
  const prices = set ? answer.prices.filter(({ setBy }) => setBy === 'setting') : answer.prices;
  if (prices.length === 0) return output.note('You have set no prices. Set one: svc usage prices set --help');
  const amount = (title: string, value: (price: ListedPrice) => number | undefined) => ({
    title,
    value: (price: ListedPrice) => String(value(price) ?? ''),
    align: 'right' as const,
  });
  output.table<ListedPrice>(
    [
      { title: 'MODEL', value: ({ model }) => model, isElastic: true },
      amount('INPUT', ({ input }) => input),
      amount('OUTPUT', ({ output: answers }) => answers),
      { ...amount('CACHED', ({ cachedInput }) => cachedInput), fromWidth: 70 },
      {
        title: 'FROM',
        value: ({ setBy, listed }) => (setBy === 'list' ? 'list' : listed ? 'you, not the list' : 'you'),
      },
      { title: 'DAY', value: ({ asOf = '' }) => asOf },
      { title: 'SOURCE', value: ({ source = '' }) => source, isElastic: true, fromWidth: 110 },
    ],
    prices,
  );
  output.note('In USD per million tokens. Long prompts of some models cost more: --json');
}

interface Rates {
  input?: number;
  output?: number;
  cachedInput?: number;
  cacheWrite?: number;
}

/** `svc usage prices set MODEL`. */
export async function setPrice(cli: Cli, model: string, rates: Rates): Promise<void> {
  const { input, output: answers, cachedInput, cacheWrite } = rates;
  if (input === undefined || answers === undefined)
    throw new CliError(exitCodes.usage, 'Both --input and --output are needed.');
  const price: Price = {
    input,
    output: answers,
    ...(cachedInput !== undefined && { cachedInput }),
    ...(cacheWrite !== undefined && { cacheWrite }),
    asOf: new Date().toISOString().slice(0, 10),
  };
  await change(cli, (prices) => ({ ...prices, [model]: price }));
  cli.output.note(`Price of ${escapeLine(model)} set.`);
}

/** `svc usage prices rm MODEL`. */
export async function removePrice(cli: Cli, model: string): Promise<void> {
  await change(cli, (prices) => {
    if (!Object.hasOwn(prices, model))
      throw new CliError(exitCodes.notFound, `You have set no price of ${escapeLine(model)}.`, {
        next: 'See: svc usage prices --set',
      });
    return Object.fromEntries(Object.entries(prices).filter(([name]) => name !== model));
  });
  cli.output.note(`Price of ${escapeLine(model)} removed.`);
}

/** `svc usage prices import FILE`. */
export async function importPrices(cli: Cli, file: string, { dryRun }: { dryRun?: boolean }): Promise<void> {
  const { output } = cli;
  const { readPriceFile } = await import('./read-price-file.ts');
  const imported = await readPriceFile(file);
  let changed: string[] = [];
  await change(
    cli,
    (prices) => {
      changed = Object.keys(imported).filter(
        (model) => JSON.stringify(imported[model]) !== JSON.stringify(prices[model]),
      );
      return { ...prices, ...imported };
    },
    dryRun,
  );
  for (const model of changed) output.write(`${escapeLine(model)}\n`);
  const count = Object.keys(imported).length;
  output.note(`${changed.length} of ${count} prices ${dryRun ? 'would change' : 'changed'}.`);
}

/** Changes the setting as a whole, which is how it is stored. */
async function change(
  cli: Cli,
  to: (prices: Record<string, Price>) => Record<string, Price>,
  isDry = false,
): Promise<void> {
  const { client } = cli.connect();
  const { settings } = await client.config.list();
  const value = settings.find(({ key }) => key === KEY)?.value ?? {};
  const next = to(value as Record<string, Price>);
  if (!isDry)
    await client.config.update({
      params: { key: KEY },
      body: { value: JSON.parse(JSON.stringify(next)) as Record<string, JsonPrice> },
    });
}
