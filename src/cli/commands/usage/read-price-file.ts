import { readFile } from 'node:fs/promises';
import { type Price, priceFileSchema } from '../../../contract/prices.ts';
import { safeParse } from '../../../contract/safe-parse.ts';
import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { formatFileError } from '../../errors/file-error.ts';
import { escapeLine } from '../../output/escape-text.ts';

/** The prices of a file, each with its day; throws a `CliError` that says what is wrong with it. */
export async function readPriceFile(file: string): Promise<Record<string, Price>> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new CliError(exitCodes.invalid, `${escapeLine(file)}: ${formatFileError(error)}`);
  });
  const problem = (message: string) => new CliError(exitCodes.invalid, `${escapeLine(file)}: ${message}`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw problem('This is not JSON.');
  }
  const { data, error } = safeParse(priceFileSchema, value);
  if (!data) {
    const [issue] = error?.issues ?? [];
    throw problem(escapeLine(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'Not a file of prices'}`));
  }
  const { asOf, source, prices } = data;
  return Object.fromEntries(
    Object.entries(prices).map(([model, price]) => [
      model,
      {
        ...price,
        asOf: price.asOf ?? asOf,
        ...((price.source ?? source) && { source: price.source ?? source }),
      },
    ]),
  );
}
