import { createHmac } from 'node:crypto';
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { derivePath } from 'ed25519-hd-key';
import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';

/** The daemon keeps this of the seed in its database, so that another one is found before it does harm. */
const path = "m/44'/7331'/4'";
const text = 'identity check';
const row = 'identity_check';

/** Whether a database was written under this seed; undefined where there is none, or it does not say. */
export function isSeedOf(databaseFile: string, seed: Uint8Array): boolean | undefined {
  const expected = existsSync(databaseFile) ? readCheck(databaseFile) : undefined;
  if (expected === undefined) return undefined;
  const { key } = derivePath(path, Buffer.from(seed).toString('hex'));
  return createHmac('sha256', key).update(text).digest('hex') === expected;
}

function readCheck(file: string): string | undefined {
  try {
    const database = new DatabaseSync(file, { readOnly: true, timeout: 1000 });
    try {
      return database.prepare('select value from state where key = ?').get(row)?.['value'] as
        | string
        | undefined;
    } finally {
      database.close();
    }
  } catch (error) {
    throw new CliError(exitCodes.configuration, `${file} cannot be read: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}
