import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import type { Cli } from '../../program/cli.ts';

/** The root of the repository that this directory is in, or the directory itself: where `--here` looks for tasks. */
export function projectHere(cli: Cli): string {
  if (!cli.connect().target.isLocal)
    throw new CliError(exitCodes.usage, '--here is for a daemon on this machine.', {
      next: 'Tasks of another machine work in directories of that machine.',
    });
  const here = process.cwd();
  for (let directory = here; ; directory = dirname(directory)) {
    if (existsSync(join(directory, '.git'))) return directory;
    if (directory === dirname(directory)) return here;
  }
}

/** Shows directories as shells do: those of this user's home begin with `~`, where the daemon is on this machine. */
export function directoryShower(cli: Cli): (directory: string) => string {
  const { home } = cli.platform;
  if (!cli.connect().target.isLocal || home === '/') return (directory) => directory;
  return (directory) =>
    directory === home || directory.startsWith(`${home}/`) ? `~${directory.slice(home.length)}` : directory;
}
