import type { Cli } from '../../program/cli.ts';
import { explainFailure } from '../backup/explain-failure.ts';
import { openProConfig, requireLocal } from './open-config.ts';
import { Config, reopenPostgres, reopenSqlite } from './storage-files.ts';

/** `svc storage reopen`: takes the mark of a copy from the database that the mode in force uses. */
export async function reopenStorage(cli: Cli, { json }: { json?: boolean }): Promise<void> {
  const { output, locations, platform } = cli;
  requireLocal(cli);
  const reopen = async () => {
    const { settingsFile } = locations;
    const isPro = new Config({ env: platform.env, settingsFile }).get('mode') === 'pro';
    return isPro ? reopenPostgres(openProConfig(cli).server) : reopenSqlite(locations);
  };
  const wasMarked = await reopen().catch((error: unknown) => {
    throw explainFailure(error, { unavailable: 'Stop it first: svc daemon stop' });
  });
  if (json) return output.json({ reopened: wasMarked });
  output.note(
    wasMarked
      ? 'Database reopened. It has nothing of what happened after it was copied. Start it: svc daemon start'
      : 'The database was not copied elsewhere. Nothing was changed.',
  );
}
