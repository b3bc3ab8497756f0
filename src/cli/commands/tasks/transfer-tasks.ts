import { createWriteStream, readFileSync, renameSync, rmSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ApiError } from '../../../contract/client.ts';
import { routeTable } from '../../../contract/route-table.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { readStdin } from '../../input/read-stdin.ts';
import { formatFileError } from '../../errors/file-error.ts';

const ERRORS_SHOWN = 10;

/** `svc tasks export`: as the daemon sends it, without holding it in memory; a file is complete or not there. */
export async function exportTasks(cli: Cli, { output: file }: { output?: string }): Promise<void> {
  const { fetch, target } = cli.connect();
  const { method, path } = routeTable.tasks.export;
  const response = await fetch(target.url + path, { method, headers: { accept: 'application/json' } });
  if (response.status !== 200 || !response.body)
    throw new ApiError(response.status, JSON.parse(await response.text()));
  const body = Readable.from(response.body);
  if (file === undefined) {
    for await (const chunk of body) cli.output.write(String(chunk));
    return;
  }
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    await pipeline(body, createWriteStream(temporary, { mode: 0o600 }));
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  cli.output.note(`Written: ${file}`);
}

/** `svc tasks import FILE`. */
export async function importTasks(cli: Cli, file: string, { json }: { json?: boolean }): Promise<void> {
  const { output } = cli;
  const body = parse(file, file === '-' ? await readStdin() : read(file));
  const report = await cli
    .connect()
    .client.tasks.import({ body: body as { version: '1'; tasks: unknown[] } });
  if (report.errors.length > 0) cli.exitCode = exitCodes.invalid;
  if (json) return output.json(report);
  output.note(`${report.message}, ${report.skipped} already existed.`);
  for (const { index, error } of report.errors.slice(0, ERRORS_SHOWN))
    output.note(`  task ${index}: ${escapeLine(error)}`);
  if (report.errors.length > ERRORS_SHOWN)
    output.note(`  … ${report.errors.length - ERRORS_SHOWN} more: --json`);
  if (report.imported > 0)
    output.note(
      'Unfinished tasks are on hold. List them: svc tasks ls --status pending   Release one: svc tasks release ID',
    );
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CliError(exitCodes.invalid, `${file} cannot be read: ${formatFileError(error)}.`, {
      cause: error,
    });
  }
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CliError(exitCodes.invalid, `${file} is not valid JSON: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}
