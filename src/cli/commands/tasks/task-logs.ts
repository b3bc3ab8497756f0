import type { TaskEvent } from '../../../contract/task.ts';
import type { Cli } from '../../program/cli.ts';
import { describeEvent } from '../../output/describe-event.ts';
import { followTask } from './follow-task.ts';
import { escapeLine, escapeText } from '../../output/escape-text.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { resolveId } from '../../ids/resolve-id.ts';

interface LogOptions {
  follow?: boolean;
  json?: boolean;
}

/** `svc tasks logs ID`: the output of the agent on stdout, events and its stderr on stderr. */
export async function showTaskLogs(
  cli: Cli,
  text: string,
  { follow = false, json = false }: LogOptions,
): Promise<void> {
  const { output } = cli;
  const connection = cli.connect();
  const { client } = connection;
  const id = await resolveId(text, idsOf(client, 'task'));
  const print = (event: TaskEvent) => (json ? output.jsonLine(event) : printEvent(cli, event));
  if (!follow) {
    const events = client.tasks.listEventsStream({ params: { id }, query: { follow: false } });
    for await (const { data } of events) print(data);
    return;
  }
  try {
    await followTask(connection, id, { onEvent: print, signal: output.closed });
  } catch (error) {
    if (!output.closed.aborted) throw error;
  }
}

function printEvent({ output }: Cli, event: TaskEvent): void {
  const { type, message, data } = event;
  if (type === 'output' && data['stream'] === 'stderr')
    output.errorStream.write(output.isErrorTerminal ? escapeText(message) : message);
  else if (type === 'output') output.text(message);
  else {
    const line = describeEvent(event) ?? endOf(event);
    if (line !== '') output.note(output.paintError('dim', `· ${line}`));
  }
}

const endOf = ({ type, message }: TaskEvent) =>
  type === 'failed' ? `failed: ${escapeLine(message)}` : escapeLine(message);
