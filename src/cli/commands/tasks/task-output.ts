import type { Task } from '../../../contract/task.ts';
import type { Cli } from '../../program/cli.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { resolveId } from '../../ids/resolve-id.ts';
import { OutputCopy } from './copy-output.ts';
import { followTask } from './follow-task.ts';

interface OutputOptions {
  stderr?: boolean;
  follow?: boolean;
}

/** `svc tasks output ID`: what the command of a task printed, byte for byte. */
export async function printTaskOutput(
  cli: Cli,
  text: string,
  { stderr = false, follow = false }: OutputOptions,
): Promise<void> {
  const { output } = cli;
  const connection = cli.connect();
  const taskId = await resolveId(text, idsOf(connection.client, 'task'));
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
