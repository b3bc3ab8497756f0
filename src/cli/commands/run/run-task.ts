import { setTimeout as delay } from 'node:timers/promises';
import type { Cli } from '../../program/cli.ts';
import { printWarnings } from '../../output/print-warnings.ts';
import { type ExitCode, exitCodes } from '../../errors/exit-codes.ts';
import { createTask, type RunOptions } from './create-task.ts';
import { requireWritable } from './output-files.ts';

/** Until the request is on its way: loading a program keeps this process from sending. */
const SENT_MS = 2;

/** Creates a task, follows it until it finishes and prints its answer; returns the exit code. */
export async function runTask(cli: Cli, words: string[], options: RunOptions): Promise<ExitCode> {
  const { output } = cli;
  const { outputLastMessage } = options;
  if (outputLastMessage !== undefined) requireWritable(outputLastMessage);
  // A wrong name should not show after the work is done.
  output.selection?.ofRoute(options.jsonl ? 'tasks.listEventsStream' : 'tasks.get');
  const startedAt = performance.now();
  const [created, follow] = await Promise.all([
    createTask(cli, words, options),
    options.detach ? undefined : loadFollow(),
  ]);
  if (!options.quiet) printWarnings(output, created);
  if (follow) return follow(cli, created.task.id, options, startedAt);
  if (options.json) output.json(created);
  else output.write(`${created.task.id}\n`);
  return exitCodes.pending;
}

/** What follows a task is loaded while the daemon creates it, which takes about as long. */
async function loadFollow() {
  await delay(SENT_MS);
  const { followRun } = await import('./follow-run.ts');
  return followRun;
}
