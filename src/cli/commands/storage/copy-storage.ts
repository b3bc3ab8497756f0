import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { whileWaiting } from '../../output/while-waiting.ts';
import type { Cli } from '../../program/cli.ts';
import { explainFailure } from '../backup/explain-failure.ts';
import { untilInterrupted } from '../run/on-interrupt.ts';
import { linesOfChanged } from './lines-of-changed.ts';
import { openProConfig, requireLocal } from './open-config.ts';
import {
  type CopyReport,
  copyToPostgres,
  copyToSqlite,
  finishRestore,
  keepOwnFilesPrivate,
  type MoveOptions,
} from './storage-files.ts';

/** `svc storage copy`: works on the home of this machine, without a daemon. */
export async function copyStorage(
  cli: Cli,
  { to = '', json }: { to?: string; json?: boolean },
): Promise<void> {
  const { output, locations } = cli;
  requireLocal(cli);
  const isUrl = /^postgres(ql)?:/.test(to);
  if (!isUrl && to !== 'postgres' && to !== 'sqlite')
    throw new CliError(
      exitCodes.usage,
      '--to takes postgres, a URL that begins with postgres://, or sqlite.',
      {
        next: 'See: svc storage copy --help',
      },
    );
  keepOwnFilesPrivate();
  const wait = { isShown: !json, text: 'opening the databases' };
  const report = await whileWaiting(output, wait, (onProgress) => {
    const stopped = () => ({ message: 'Stopped; nothing was copied.' });
    return untilInterrupted(stopped, async (signal) => {
      const { config, server } = openProConfig(cli, isUrl ? to : undefined);
      await finishRestore(locations);
      const options: MoveOptions = { locations, config, server, now: new Date(), onProgress, signal };
      return to === 'sqlite' ? copyToSqlite(options) : copyToPostgres(options);
    });
  }).catch((error: unknown) => {
    throw explainFailure(error, {});
  });
  if (json) return output.json(report);
  for (const line of linesOf(report)) output.note(line);
  if (isUrl && new URL(to).password !== '')
    output.note(
      `${output.paintError('yellow', '!')} The password was in the command line, where other users of this machine can read it. Use DATABASE_URL_FILE and --to postgres.`,
    );
  const data = escapeLine(locations.data);
  const next =
    to === 'sqlite' ? nextInMini(report, data) : nextInPro(data, escapeLine(locations.identityFile));
  for (const line of next) output.note(line);
}

function* linesOf(report: CopyReport): Generator<string> {
  const { from, to, tables, changed, audit, settings, wasComplete, keptAs } = report;
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  yield wasComplete
    ? `An earlier copy was complete: all ${rows} rows of ${tables.length} tables are the same.`
    : `Copied and compared ${rows} rows of ${tables.length} tables.`;
  yield `  from ${escapeLine(from)}`;
  yield `  to   ${escapeLine(to)}`;
  yield* linesOfChanged(changed);
  if (settings.length > 0)
    yield `${settings.length} ${settings.length === 1 ? 'setting' : 'settings'} moved with it.`;
  if (keptAs !== undefined) yield `What was there before is in ${escapeLine(keptAs)}.`;
  yield audit.valid
    ? `The audit log is intact: ${audit.entries} entries.`
    : `The audit log is not intact, as it was before the copy: ${audit.reason}. See: svc audit verify`;
  yield 'The old database is marked; svc does not start with it any more.';
}

const nextInPro = (data: string, identity: string): string[] => [
  '',
  'Next:',
  '  1. Give every daemon SVC_MODE=pro, DATABASE_URL, QUEUE_STORE_URL and, in SVC_MASTER_SEED_FILE, a copy of this identity:',
  `     ${identity}`,
  `  2. Start a daemon on this machine first. The output of tasks, files that agents changed, worktrees and archives of the`,
  `     audit log are not in the database; they stay in ${data}.`,
  '',
  'To go back: svc storage copy --to sqlite',
];

const nextInMini = ({ keptAs }: CopyReport, data: string): string[] => [
  '',
  'Next: start svc in mode mini, without SVC_MODE=pro: svc daemon start',
  `The output of tasks, files that agents changed, worktrees and archives of the audit log are not in the database. Copy those of`,
  `other machines to ${data}, if you need them.`,
  ...(keptAs === undefined
    ? []
    : ['Delete the database from before the copy when you do not need it any more.']),
];
