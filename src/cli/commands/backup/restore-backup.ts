import { resolve } from 'node:path';
import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { whileWaiting } from '../../output/while-waiting.ts';
import type { Cli } from '../../program/cli.ts';
import { readVersion } from '../../program/version.ts';
import { Config, keepOwnFilesPrivate, restoreHome, type RestoreReport } from './backup-files.ts';
import { explainFailure } from './explain-failure.ts';
import { unpackingStep } from './unpacking-step.ts';

interface Options {
  paused?: boolean;
  json?: boolean;
}

/** `svc restore FILE`: works on the home of this machine or the database of the cluster, without a daemon. */
export async function restoreBackup(cli: Cli, name: string, options: Options): Promise<void> {
  const { url, context } = cli.options;
  if (url !== undefined || context !== undefined)
    throw new CliError(exitCodes.usage, 'A backup can only be restored on the machine of the daemon.', {
      next: 'Run svc restore there, without --url and --context',
    });
  keepOwnFilesPrivate();
  if (!isForCluster(cli)) return restoreToHome(cli, resolve(name), options);
  const { restoreToCluster } = await import('./restore-to-cluster.ts');
  return restoreToCluster(cli, resolve(name), options);
}

function isForCluster({ platform, locations }: Cli): boolean {
  const { env } = platform;
  const { settingsFile } = locations;
  if (env['SVC_MODE'] !== undefined) return env['SVC_MODE'] === 'pro';
  try {
    return new Config({ env: {}, settingsFile }).get('mode') === 'pro';
  } catch {
    // A settings file that cannot be read may be why a backup is restored.
    return false;
  }
}

async function restoreToHome(cli: Cli, file: string, { paused = false, json }: Options): Promise<void> {
  const { locations, output } = cli;
  const wait = { isShown: !json, text: 'reading the backup' };
  const report = await whileWaiting(output, wait, (show) =>
    restoreHome({
      file,
      locations,
      version: readVersion(),
      now: new Date(),
      isPaused: paused,
      onUnpack: (done, total) => show(unpackingStep(done, total)),
    }),
  ).catch((error: unknown) => {
    throw explainFailure(error, {
      unavailable: 'Stop it first: svc daemon stop',
      validation: 'Nothing was changed.',
    });
  });
  const { manifest, restored, keptIn, identity } = report;
  if (json)
    return output.json({
      version: manifest.svcVersion,
      createdAt: manifest.createdAt,
      identity,
      restored,
      keptIn,
    });
  output.note(
    `Restored the backup of ${manifest.createdAt} (svc ${manifest.svcVersion}) to ${escapeLine(locations.data)}.`,
  );
  for (const directory of keptIn) output.note(`What was there before is in ${escapeLine(directory)}.`);
  for (const line of nextSteps(report, paused)) output.note(line);
}

function nextSteps({ identity }: RestoreReport, isPaused: boolean): string[] {
  const tasks = isPaused ? [] : ['Unfinished tasks of the backup run when the daemon starts.'];
  const afterwards = isPaused ? ['Its queue is paused. Look at its tasks, then: svc queue resume'] : [];
  if (identity !== 'missing') return [[...tasks, 'Start it: svc daemon start'].join(' '), ...afterwards];
  return [
    'The backup has no identity, and the daemon does not start without it. Restore its 24 words:',
    '  svc devices identity --restore',
    [...tasks, 'Then start it: svc daemon start'].join(' '),
    ...afterwards,
  ];
}
