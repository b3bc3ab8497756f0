import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import { ApiError } from '../../../contract/client.ts';
import { type Connection, Unreachable } from '../../connection/connection.ts';
import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { formatSize } from '../../../contract/format-size.ts';
import { type ShowStep, whileWaiting } from '../../output/while-waiting.ts';
import type { Cli } from '../../program/cli.ts';
import { readIdentityFile } from '../devices/identity-file.ts';
import { backupName, requireFree, storeBackup, type StoredBackup, withIdentity } from './backup-files.ts';
import { explainFailure } from './explain-failure.ts';
import { longCall } from '../../connection/long-call.ts';
import { untilInterrupted } from '../run/on-interrupt.ts';
import { escapeLine } from '../../output/escape-text.ts';

interface Options {
  identity?: boolean;
  force?: boolean;
  json?: boolean;
}

/** `svc backup`: the daemon sends the backup, this machine writes and checks it. */
export async function makeBackup(cli: Cli, name: string | undefined, options: Options): Promise<void> {
  const { output } = cli;
  const { identity = false, force = false, json } = options;
  const now = new Date();
  const file = resolve(name ?? backupName(now));
  const wait = { isShown: !json, text: 'copying the databases' };
  const stored = await whileWaiting(output, wait, (show) => {
    const stopped = () => {
      // The check of a database ends before it can be left.
      show({ text: 'stopping' });
      return { message: `Stopped; ${escapeLine(file)} was not written.` };
    };
    return untilInterrupted(stopped, (signal) => write(cli, file, { identity, force, now, show, signal }));
  }).catch((error: unknown) => {
    throw isRejected(error)
      ? new CliError(exitCodes.unverified, `The backup failed its check and was not kept. ${error.message}`, {
          next: 'Try again, then: svc doctor',
          cause: error,
        })
      : explainFailure(error, { conflict: 'Choose another name, or replace it: --force' });
  });
  if (json) return output.json(summaryOf(stored));
  output.line(file);
  output.note(`Backup written and checked: ${formatSize(stored.bytes)}, svc ${stored.manifest.svcVersion}.`);
  const warning = output.paintError('yellow', '!');
  output.note(
    identity
      ? `${warning} It holds the identity: anyone who has the file has every secret of this daemon. Keep it in a safe place.`
      : `${warning} It holds your tasks, conversations and settings: keep it private. Its secrets need the identity, which is not in it: svc devices identity --export`,
  );
}

/** What was written is read back; what cannot be read as a backup is none. */
const isRejected = (error: unknown): error is Error =>
  error instanceof Error && error.name === 'AppError' && 'code' in error && error.code === 'validation';

interface WriteOptions {
  identity: boolean;
  force: boolean;
  now: Date;
  show: ShowStep;
  signal: AbortSignal;
}

async function write(
  cli: Cli,
  file: string,
  { identity, force, now, show, signal }: WriteOptions,
): Promise<StoredBackup> {
  if (!force) requireFree(file);
  const connection = cli.connect();
  // What is not on this machine has its identity elsewhere; no request returns it.
  if (identity && !connection.target.isLocal)
    throw new CliError(exitCodes.usage, 'The identity can only be read on the machine of the daemon.', {
      next: 'Run svc backup --identity there, or leave --identity out',
    });
  const body = counted(download(connection, signal), show);
  const options = {
    overwrite: force,
    signal,
    onCheck(done: number, total: number) {
      signal.throwIfAborted();
      show({ text: 'checking the backup', done, total });
    },
  };
  if (!identity) return storeBackup(body, file, options);
  const seed = readIdentityFile(cli.locations.identityFile);
  if (!seed)
    throw new CliError(exitCodes.notFound, `No identity found at ${cli.locations.identityFile}.`, {
      next: 'See: svc doctor',
    });
  const text = Buffer.from(`${seed.toString('hex')}\n`);
  const packed = withIdentity(Readable.from(body).compose(createGunzip()), text, now);
  return storeBackup(Readable.from(packed).compose(createGzip()), file, options);
}

async function* counted(body: AsyncIterable<Uint8Array>, show: ShowStep): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    show({ text: 'receiving the backup', detail: formatSize(bytes) });
    yield piece;
  }
}

async function* download({ client, target }: Connection, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    // It copies its databases before it sends the first byte.
    yield* client.backups.create({}, { ...longCall, signal });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404)
      throw new CliError(exitCodes.failed, `The daemon at ${target.url} is too old to make a backup.`, {
        next: 'Restart it with this svc: svc daemon restart',
      });
    // A connection that breaks in the middle is no damaged backup.
    throw error instanceof ApiError || error instanceof CliError ? error : new Unreachable(target, error);
  }
}

const summaryOf = ({ file, bytes, sha256, hasIdentity, manifest }: StoredBackup) => ({
  file,
  bytes,
  sha256,
  identity: hasIdentity,
  version: manifest.svcVersion,
  createdAt: manifest.createdAt,
  files: manifest.files,
});
