import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Locations } from '../../../contract/locations.ts';
import { programPath } from '../../connection/start-daemon-process.ts';
import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { confirm, requireAnswer } from '../../input/ask.ts';
import { escapeLine } from '../../output/escape-text.ts';
import type { Cli } from '../../program/cli.ts';
import { requireUnused } from '../backup/backup-files.ts';
import { explainFailure } from '../backup/explain-failure.ts';
import { stopDaemon } from '../daemon/daemon-control.ts';
import { removeService } from '../daemon/system-service.ts';
import { findInstallation, type Installation } from '../upgrade/find-installation.ts';
import { findCompletionFiles, findCompletionLines } from './completion-files.ts';
import { findOwnFiles } from './own-files.ts';

/** `svc uninstall`: the data stays unless `--purge` is confirmed; says what it left and where. */
export async function uninstallProgram(
  cli: Cli,
  { purge, yes }: { purge?: boolean; yes?: boolean },
): Promise<void> {
  const { output, platform, locations } = cli;
  if (cli.options.url !== undefined || cli.options.context !== undefined)
    throw new CliError(exitCodes.usage, 'svc is uninstalled on its own machine only.', {
      next: 'Run svc uninstall there, without --url and --context',
    });
  if (purge && !yes) requireAnswer(cli);
  await stopDaemon(cli);
  removeService(cli);
  for (const file of findCompletionFiles(platform)) {
    rmSync(file);
    output.note(`Removed: ${escapeLine(file)}`);
  }
  if (purge) await deleteData(cli, yes === true);
  sayWhatIsLeft(cli, findInstallation(programPath()), locations);
}

async function deleteData(cli: Cli, isConfirmed: boolean): Promise<void> {
  const { output, locations } = cli;
  if (existsSync(locations.data))
    await requireUnused(locations).catch((error: unknown) => {
      throw explainFailure(error, { unavailable: 'Stop it first: svc daemon stop' });
    });
  const { data, directories } = findOwnFiles(locations);
  if (data.length === 0) return;
  output.note(
    `All data of svc, with its identity, in:\n${directories.map((path) => `  ${escapeLine(path)}\n`).join('')}`,
  );
  if (!isConfirmed && !(await confirm(cli, 'Delete it? Nothing brings it back.')))
    return output.note('The data was kept.');
  for (const path of data) rmSync(path, { recursive: true, force: true });
  for (const directory of directories) if (readdirSync(directory).length === 0) rmdirSync(directory);
  output.note('Data deleted.');
}

function sayWhatIsLeft(cli: Cli, installation: Installation, locations: Locations): void {
  const { output, platform } = cli;
  const { data, left } = findOwnFiles(locations);
  const line = (text: string) => output.note(escapeLine(text));
  if (data.length > 0) {
    line(
      `Left: your data in ${[...new Set([locations.data, locations.config, locations.state])].filter((path) => existsSync(path)).join(', ')}`,
    );
    line('  Delete it, too: svc uninstall --purge');
  }
  const backups = join(locations.data, 'backups');
  if (left.includes(backups)) line(`Left: the backups in ${backups}`);
  const others = left.filter((path) => path !== backups);
  if (data.length === 0 && others.length > 0) line(`Left: what svc did not make: ${others.join(', ')}`);
  for (const file of findCompletionLines(platform)) line(`Left: the line with svc completion in ${file}`);
  line(`Left: the program in ${installation.directory}`);
  line(
    `  ${installation.removal ? `Remove it: ${installation.removal.join(' ')}` : 'Delete this directory to remove it.'}`,
  );
}
