import { existsSync, readFileSync } from 'node:fs';
import { parseMasterSeed } from '../../../contract/master-seed.ts';
import type { Locations } from '../../../contract/locations.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { readDaemonFile } from '../../connection/daemon-file.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { type Fact, formatFacts } from '../../output/facts.ts';
import { readFileIfPresent } from '../../input/json-file.ts';
import { readSecret } from '../../input/read-secret.ts';
import { formatFileError } from '../../errors/file-error.ts';
import { readIdentityFile, writeIdentityFile, writeThrough } from './identity-file.ts';
import { isSeedOf } from './identity-check.ts';
import { missingWords, readSeed, formatSeed } from './seed-words.ts';
import { formatFingerprint } from './format-fingerprint.ts';

export interface IdentityOptions {
  export?: boolean;
  restore?: boolean;
  file?: string;
  force?: boolean;
  json?: boolean;
}

/** `svc devices identity`: asks the daemon, but reads or writes the seed only in the file on this machine. */
export async function identity(cli: Cli, options: IdentityOptions): Promise<void> {
  const { export: isExport = false, restore = false, json } = options;
  checkOptions(cli, options);
  if (isExport) return exportIdentity(cli, options);
  if (restore) return restoreIdentity(cli, options);
  const { output } = cli;
  const answer = await cli.connect().client.devices.getIdentity();
  if (json) return output.json(answer);
  const { deviceId, fingerprint } = answer;
  const facts: Fact[] = [
    ['device', deviceId],
    ['fingerprint', output.isTerminal ? formatFingerprint(fingerprint) : fingerprint],
  ];
  output.write(formatFacts(facts, output.paint));
}

function checkOptions({ options: { url, context } }: Cli, options: IdentityOptions): void {
  const { export: isExport = false, restore = false, file, force = false } = options;
  const refuse = (message: string) => {
    throw new CliError(exitCodes.usage, message, { next: 'See: svc devices identity --help' });
  };
  if (isExport && restore) refuse('Use either --export or --restore, not both.');
  if (file !== undefined && !isExport && !restore) refuse('--file requires --export or --restore.');
  if (force && !restore) refuse('--force requires --restore.');
  if ((isExport || restore) && (url !== undefined || context !== undefined))
    refuse(`The seed can only be ${isExport ? 'read' : 'written'} on the daemon's own machine.`);
}

function exportIdentity({ output, locations }: Cli, { file, json }: IdentityOptions): void {
  const path = locations.identityFile;
  const seed = readIdentityFile(path);
  if (!seed) throw noIdentity(locations);
  const words = formatSeed(seed);
  if (file !== undefined) writeNew(file, words);
  if (json) return output.json(file === undefined ? { words: words.trim().replaceAll('\n', ' ') } : { file });
  if (file === undefined) output.write(words);
  const where = file === undefined ? 'These 24 words are' : `${file} holds 24 words, which are`;
  output.note(
    `${output.paintError('yellow', '!')} ${where} the key to every secret of this machine's daemon. Anyone who has them can impersonate it.`,
  );
  output.note('  Keep them on paper or in a safe. To restore them:\n  svc devices identity --restore');
}

const noIdentity = ({ identityFile, databaseFile }: Locations) =>
  existsSync(databaseFile)
    ? new CliError(exitCodes.notFound, `${identityFile} is missing, but the database needs it.`, {
        next: 'Restore it from its 24 words: svc devices identity --restore',
      })
    : new CliError(exitCodes.notFound, `No identity found at ${identityFile}.`, {
        next: 'Starting the daemon creates it: svc daemon start',
      });

function writeNew(file: string, text: string): void {
  try {
    writeThrough(file, text);
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    throw new CliError(
      exitCodes.invalid,
      isThere ? `${file} already exists.` : `${file} cannot be written: ${formatFileError(error)}.`,
      { next: 'Choose another file: --file', cause: error },
    );
  }
}

async function restoreIdentity(cli: Cli, { file, force = false }: IdentityOptions): Promise<void> {
  const { output, locations } = cli;
  const path = locations.identityFile;
  const running = readDaemonFile(locations);
  if (running)
    throw new CliError(
      exitCodes.invalid,
      `A daemon is running with the current identity (process ${running.pid}).`,
      {
        next: 'Stop it first: svc daemon stop',
      },
    );
  const seed = readSeed(await readBackup(cli, file));
  const isOfDatabase = force ? undefined : isSeedOf(locations.databaseFile, seed);
  if (isOfDatabase === false)
    throw new CliError(
      exitCodes.invalid,
      'These words are not the identity of this database. Nothing was written.',
    );
  const content = readFileIfPresent(path);
  const present = content && parseMasterSeed(content);
  if (present && Buffer.from(seed).equals(present))
    return output.note(`${path} already holds this identity.`);
  // What is there is not the database's own where this one is.
  if (present && !force && !isOfDatabase)
    throw new CliError(exitCodes.invalid, `${path} holds another identity, which would be lost.`, {
      next: 'Back it up: svc devices identity --export --file FILE. Then repeat with --force',
    });
  writeIdentityFile(path, seed);
  output.note(`Identity restored to ${path}. Start the daemon: svc daemon start`);
}

function readBackup(cli: Cli, file: string | undefined): Promise<string> | string {
  if (file === undefined)
    return readSecret(cli, 'The 24 words: ', 'svc devices identity --restore < FILE', { more: missingWords });
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CliError(exitCodes.invalid, `${file} cannot be read: ${formatFileError(error)}.`, {
      cause: error,
    });
  }
}
