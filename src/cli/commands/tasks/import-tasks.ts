import { readFileSync } from 'node:fs';
import { formatSize } from '../../../contract/format-size.ts';
import type { ImportReport } from '../../../contract/tasks.ts';
import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { formatFileError } from '../../errors/file-error.ts';
import { readStdin } from '../../input/read-stdin.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { type ShowStep, whileWaiting } from '../../output/while-waiting.ts';
import type { Cli } from '../../program/cli.ts';
import { untilInterrupted } from '../run/on-interrupt.ts';
import { importParts } from './import-parts.ts';

const ERRORS_SHOWN = 10;

/** `svc tasks import FILE`: in parts, each of which the daemon has stored when the next one is sent. */
export async function importTasks(cli: Cli, file: string, { json }: { json?: boolean }): Promise<void> {
  const { output } = cli;
  const wait = { isShown: !json, text: `reading ${file === '-' ? 'stdin' : escapeLine(file)}` };
  const report = await whileWaiting(output, wait, async (show) => {
    const text = await read(file, (bytes) => show({ text: wait.text, detail: formatSize(bytes) }));
    return send(cli, parse(file, text), show);
  });
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

async function send(cli: Cli, body: unknown, show: ShowStep): Promise<ImportReport> {
  const { client } = cli.connect();
  const tasks = tasksOf(body);
  // What it is instead is for the daemon to refuse.
  if (!tasks) return client.tasks.import({ body: body as { version: '1'; tasks: unknown[] } });
  const report: ImportReport = { message: '', imported: 0, skipped: 0, errors: [] };
  const stopped = () => ({
    message: `Stopped; at least ${report.imported} of ${tasks.length} tasks were imported.`,
    next: 'To continue, import the same file again: tasks that exist are skipped.',
  });
  await untilInterrupted(stopped, async (signal) => {
    for (const { start, tasks: part } of importParts(tasks)) {
      show({ text: 'importing tasks', done: start, total: tasks.length });
      const answer = await client.tasks.import(
        { body: { ...(body as { version: '1' }), tasks: part } },
        { signal },
      );
      report.imported += answer.imported;
      report.skipped += answer.skipped;
      report.errors.push(...answer.errors.map(({ index, error }) => ({ index: start + index, error })));
    }
  });
  return { ...report, message: `Imported ${report.imported} of ${tasks.length} tasks` };
}

function tasksOf(body: unknown): unknown[] | undefined {
  const isObject = typeof body === 'object' && body !== null && 'tasks' in body;
  return isObject && Array.isArray(body.tasks) ? (body.tasks as unknown[]) : undefined;
}

async function read(file: string, onBytes: (bytes: number) => void): Promise<string> {
  try {
    return file === '-' ? await readStdin(onBytes) : readFileSync(file, 'utf8');
  } catch (error) {
    const isTooLong = error instanceof Error && 'code' in error && error.code === 'ERR_STRING_TOO_LONG';
    const reason = isTooLong ? 'it is larger than 512 MiB' : formatFileError(error);
    throw new CliError(exitCodes.invalid, `${escapeLine(file)} cannot be read: ${reason}.`, { cause: error });
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
