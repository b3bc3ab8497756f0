import type { Task } from '../../../contract/task.ts';
import type { OutputHit, OutputStream, SearchOutputResult } from '../../../contract/task-output.ts';
import type { Cli } from '../../program/cli.ts';
import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { resolveId } from '../../ids/resolve-id.ts';
import { OutputCopy } from './copy-output.ts';
import { followTask } from './follow-task.ts';

interface OutputOptions {
  stderr?: boolean;
  text?: boolean;
  follow?: boolean;
  search?: string;
  case?: boolean;
  json?: boolean;
}

/** `svc tasks output ID`: what the command of a task printed, byte for byte, or the lines of it with a text. */
export async function printTaskOutput(cli: Cli, text: string, options: OutputOptions): Promise<void> {
  const { output } = cli;
  const { stderr = false, follow = false, search } = options;
  if (stderr && options.text) throw new CliError(exitCodes.usage, 'Use either --stderr or --text.');
  if (follow && (options.text || search !== undefined))
    throw new CliError(exitCodes.usage, '-f follows only stdout and stderr.', {
      next: 'Follow what an agent says: svc tasks logs -f ID',
    });
  const connection = cli.connect();
  const taskId = await resolveId(text, idsOf(connection.client, 'task'));
  const { client } = connection;
  if (search !== undefined) {
    const stream = options.text ? 'text' : stderr ? 'stderr' : 'stdout';
    return searchOutput(cli, { taskId, q: search, stream, ...options });
  }
  if (options.text) {
    for await (const piece of client.tasks.getOutput({ params: { id: taskId }, query: { stream: 'text' } }))
      await output.bytes(piece);
    return;
  }
  const stream = stderr ? 'stderr' : 'stdout';
  const copy = new OutputCopy({
    client: connection.client,
    taskId,
    stream,
    write: (piece) => output.bytes(piece),
    onDifferent: () => output.note('· the command was started again; all of its output follows'),
  });
  let finished: { task: Task } | undefined;
  if (follow)
    finished = await followTask(connection, taskId, {
      signal: output.closed,
      onEvent({ type, data }) {
        if (type === 'started') copy.startAttempt();
        if (type === 'output' && data['stream'] === stream) copy.follow();
      },
    }).catch((error: unknown) => {
      if (!output.closed.aborted) throw error;
      return undefined;
    });
  if (!follow || finished) await copy.finish();
}

interface SearchOptions {
  taskId: string;
  q: string;
  stream: OutputStream;
  case?: boolean;
  json?: boolean;
}

/** Prints each line with a hit once, as `grep -n` does. */
async function searchOutput(
  cli: Cli,
  { taskId, q, stream, case: caseSensitive = false, json = false }: SearchOptions,
): Promise<void> {
  const { output } = cli;
  const { client } = cli.connect();
  const hits: OutputHit[] = [];
  let last = 0;
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const page: SearchOutputResult = await client.tasks.searchOutput({
      params: { id: taskId },
      query: { q, stream, caseSensitive, offset, limit: PAGE },
    });
    for (const hit of page.hits) {
      if (json) hits.push(hit);
      else if (hit.line !== last) output.write(`${hit.line}:${escapeLine(hit.text)}\n`);
      last = hit.line;
    }
    offset = page.nextOffset;
  }
  if (json) return output.json({ hits, count: hits.length });
  if (last === 0) output.note(`Not found: ${escapeLine(q)}`);
}

const PAGE = 1000;
