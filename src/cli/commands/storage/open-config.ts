import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import type { Cli } from '../../program/cli.ts';
import { Config } from './storage-files.ts';

/** Throws for a command about the daemon of another machine. */
export function requireLocal({ options: { url, context } }: Cli): void {
  if (url === undefined && context === undefined) return;
  throw new CliError(exitCodes.usage, 'Databases can only be copied on the machine of the daemon.', {
    next: 'Run svc storage there, without --url and --context',
  });
}

/** The settings of this home in mode pro, and the server that they name, or the one at `url`. */
export function openProConfig({ platform, locations }: Cli, url?: string) {
  const config = new Config({
    env: platform.env,
    settingsFile: locations.settingsFile,
    flags: { mode: 'pro', ...(url !== undefined && { 'storage.url': url }) },
  });
  const found = config.get('storage.url');
  if (found === undefined)
    throw new CliError(exitCodes.configuration, 'There is no URL of a PostgreSQL database.', {
      next: 'Set DATABASE_URL, or name a file with the URL in DATABASE_URL_FILE',
    });
  return { config, server: { url: found, prepared: config.get('storage.prepared') } };
}
