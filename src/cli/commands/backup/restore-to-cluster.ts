import { escapeLine } from '../../output/escape-text.ts';
import { whileWaiting } from '../../output/while-waiting.ts';
import type { Cli } from '../../program/cli.ts';
import { readVersion } from '../../program/version.ts';
import { untilInterrupted } from '../run/on-interrupt.ts';
import { linesOfChanged } from '../storage/lines-of-changed.ts';
import { openProConfig } from '../storage/open-config.ts';
import { type ClusterRestoreReport, restoreCluster } from './backup-files.ts';
import { explainFailure } from './explain-failure.ts';
import { unpackingStep } from './unpacking-step.ts';

/** `svc restore FILE` in mode `pro`: fills the empty database of the cluster. */
export async function restoreToCluster(
  cli: Cli,
  file: string,
  { paused = false, json }: { paused?: boolean; json?: boolean },
): Promise<void> {
  const { output, locations } = cli;
  const wait = { isShown: !json, text: 'opening the database' };
  const report = await whileWaiting(output, wait, (onProgress) => {
    const stopped = () => ({ message: 'Stopped; nothing was restored.' });
    return untilInterrupted(stopped, async (signal) => {
      const { server } = openProConfig(cli);
      return restoreCluster({
        file,
        locations,
        server,
        version: readVersion(),
        now: new Date(),
        isPaused: paused,
        signal,
        onProgress,
        onUnpack(done, total) {
          signal.throwIfAborted();
          onProgress({ done: 0, total: 0, ...unpackingStep(done, total) });
        },
      });
    });
  }).catch((error: unknown) => {
    throw explainFailure(error, { validation: 'Nothing was changed.' });
  });
  if (json) {
    const { manifest, ...rest } = report;
    return output.json({ version: manifest.svcVersion, createdAt: manifest.createdAt, ...rest });
  }
  for (const line of linesOf(report)) output.note(line);
  if (report.identity === 'restored')
    output.note(`The master seed of the backup is in ${escapeLine(locations.identityFile)}.`);
  for (const line of nextSteps(paused)) output.note(line);
}

function* linesOf(report: ClusterRestoreReport): Generator<string> {
  const { manifest, to, tables, changed, audit, settings, archives, wasComplete } = report;
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const backup = `the backup of ${manifest.createdAt} (svc ${manifest.svcVersion})`;
  yield wasComplete
    ? `An earlier restore of ${backup} was complete: all ${rows} rows of ${tables.length} tables are in ${escapeLine(to)}.`
    : `Restored ${backup} to ${escapeLine(to)}: copied and compared ${rows} rows of ${tables.length} tables.`;
  yield* linesOfChanged(changed);
  if (settings.length > 0)
    yield settings.length === 1
      ? '1 setting that the daemons share was restored with it.'
      : `${settings.length} settings that the daemons share were restored with it.`;
  if (archives.length > 0)
    yield `${archives.length} archives of the audit log are in the data directory of this machine.`;
  yield audit.valid
    ? `The audit log is intact: ${audit.entries} entries.`
    : `The audit log is not intact, as it was when the backup was made: ${audit.reason}. See: svc audit verify`;
}

const nextSteps = (isPaused: boolean): string[] =>
  isPaused
    ? [
        'Start the daemons: svc daemon',
        'The queue is paused. Look at the tasks of the backup, then: svc queue resume',
      ]
    : ['Unfinished tasks of the backup run when a daemon starts. Start the daemons: svc daemon'];
