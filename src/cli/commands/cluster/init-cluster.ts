import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { exitCodes } from '../../errors/exit-codes.ts';
import { CliError } from '../../errors/cli-error.ts';
import { formatFileError } from '../../errors/file-error.ts';
import { escapeLine } from '../../output/escape-text.ts';
import type { Cli } from '../../program/cli.ts';
import { syncDirectory, writeThrough } from '../devices/identity-file.ts';

const SEED_BYTES = 32;

/** `svc cluster init`: creates the seed that all daemons of a cluster get; an existing file stays as it is. */
export function initCluster(
  { output, locations }: Cli,
  { file: path = locations.identityFile, json }: { file?: string; json?: boolean },
): void {
  const file = resolve(path);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeThrough(file, `${randomBytes(SEED_BYTES).toString('hex')}\n`);
    syncDirectory(dirname(file));
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    throw new CliError(
      exitCodes.invalid,
      isThere
        ? `${file} already exists. Nothing was changed.`
        : `${file} cannot be written: ${formatFileError(error)}.`,
      {
        next: isThere ? `Use it: SVC_MASTER_SEED_FILE=${file}` : 'Choose another file: --file',
        cause: error,
      },
    );
  }
  if (json) return output.json({ file });
  const shown = escapeLine(file);
  output.note(`Master seed created: ${shown}`);
  output.note(
    [
      '',
      'Next:',
      `  1. Print its 24 recovery words and keep them in a safe:`,
      `     SVC_MASTER_SEED_FILE=${shown} svc devices identity --export`,
      '  2. Mount the file as a secret for every daemon, and name it there in SVC_MASTER_SEED_FILE.',
      '  3. Start each daemon with SVC_MODE=pro, DATABASE_URL and QUEUE_STORE_URL: svc daemon',
      '',
      'Every secret in the database is sealed under this seed. Without it they cannot be read.',
    ].join('\n'),
  );
}
