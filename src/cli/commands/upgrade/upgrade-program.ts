import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { readDaemonFile } from '../../connection/daemon-file.ts';
import { programPath } from '../../connection/start-daemon-process.ts';
import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { readTextFile } from '../../input/json-file.ts';
import { escapeLine } from '../../output/escape-text.ts';
import type { Cli } from '../../program/cli.ts';
import { readVersion } from '../../program/version.ts';
import { findInstallation, type Installation } from './find-installation.ts';

const kinds: Record<Installation['kind'], string> = {
  git: 'a git checkout',
  'npm-global': 'a global npm package',
  'npm-local': 'a dependency of an npm project',
  npx: 'in the cache of npx',
  unknown: 'not installed by npm or git',
};

/** `svc upgrade`: prints what it would do, without a prompt; `--yes` does it. */
export async function upgradeProgram(
  cli: Cli,
  { yes, json }: { yes?: boolean; json?: boolean },
): Promise<void> {
  const { output } = cli;
  const installation = findInstallation(programPath());
  const { kind, directory, name, commands } = installation;
  if (json && !yes) return output.json({ version: readVersion(), kind, directory, package: name, commands });
  output.note(`svc ${readVersion()}, ${kinds[kind]}: ${escapeLine(directory)}`);
  if (commands.length === 0) {
    if (yes)
      throw new CliError(exitCodes.failed, 'svc cannot upgrade this installation.', {
        next: hint(installation),
      });
    return output.note(hint(installation));
  }
  if (!yes) {
    output.note('To upgrade it:');
    for (const line of [['svc', 'backup'], ...commands, restartOf(cli) ?? ['svc', 'daemon', 'restart']])
      output.write(`${line.map(quote).join(' ')}\n`);
    return output.note('Or let svc do this: svc upgrade --yes');
  }
  await run(cli, commands);
}

function hint({ kind, name }: Installation): string {
  if (kind === 'npx') return `npx resolves the newest version: npx ${name}@latest`;
  return 'Make a backup (svc backup), install the newer version as you installed this one, then: svc daemon restart';
}

async function run(cli: Cli, commands: string[][]): Promise<void> {
  const { output, locations } = cli;
  // An upgrade may replace the files of this program: what is needed to the end is loaded before.
  await import('../../errors/report-error.ts');
  if (existsSync(locations.databaseFile)) {
    const { makeBackup } = await import('../backup/make-backup.ts');
    const { backupName } = await import('../backup/backup-files.ts');
    const directory = join(locations.data, 'backups');
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    await makeBackup(cli, join(directory, backupName(new Date())), {});
  }
  const isRunning = readDaemonFile(locations) !== undefined;
  const restart = restartOf(cli) ?? [process.execPath, programPath(), 'daemon', 'restart'];
  for (const command of isRunning ? [...commands, restart] : commands) await execute(cli, command);
  output.note('Upgraded. See: svc --version');
}

/** systemd has to start the daemon that it runs, or it would no longer watch over it. */
function restartOf({ locations, platform }: Cli): string[] | undefined {
  const running = readDaemonFile(locations);
  if (!running || platform.platform !== 'linux') return undefined;
  const groups = readTextFile(`/proc/${running.pid}/cgroup`) ?? '';
  return /\/svc\.service$/m.test(groups) ? ['systemctl', '--user', 'restart', 'svc'] : undefined;
}

async function execute({ output }: Cli, [program = '', ...args]: string[]): Promise<void> {
  const line = [program, ...args].map(quote).join(' ');
  output.note(output.paintError('dim', `$ ${escapeLine(line)}`));
  const child = spawn(program, args, { stdio: ['inherit', 2, 2] });
  const outcome = await once(child, 'exit').catch((error: unknown) => [
    error instanceof Error ? error.message : 1,
  ]);
  const [code] = outcome as [number | string | null];
  if (code !== 0)
    throw new CliError(exitCodes.failed, `${line} failed (${code ?? 'killed'}).`, {
      next: 'The backup above is from before it. See: svc doctor',
    });
}

const quote = (word: string): string =>
  /^[\w@%+=:,./#-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
