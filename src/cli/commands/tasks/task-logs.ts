import type { TaskEvent } from '../../../contract/task.ts';
import type { Cli } from '../../program/cli.ts';
import { followTask } from './follow-task.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { resolveId } from '../../ids/resolve-id.ts';
import { LogPrinter } from './log-printer.ts';
import { WholeLog } from './whole-log.ts';

interface LogOptions {
  follow?: boolean;
  json?: boolean;
  utc?: boolean;
}

/** `svc tasks logs ID`: the output of the agent on stdout, events and its stderr on stderr. */
export async function showTaskLogs(
  cli: Cli,
  text: string,
  { follow = false, json = false, utc = false }: LogOptions,
): Promise<void> {
  const { output } = cli;
  const connection = cli.connect();
  const { client } = connection;
  const id = await resolveId(text, idsOf(client, 'task'));
  const printer = new LogPrinter(output, { utc, follow, now: () => new Date() });
  const whole = new WholeLog({
    client,
    taskId: id,
    follow,
    print: (event) => printer.event(event),
    drained: () => output.bytes(NOTHING),
  });
  const print = (event: TaskEvent) => (json ? output.jsonLine(event) : whole.add(event));
  if (!follow) {
    const events = client.tasks.listEventsStream({ params: { id }, query: { follow: false } });
    for await (const { data } of events) {
      print(data);
      await whole.settled();
    }
    return printer.end();
  }
  try {
    await followTask(connection, id, { onEvent: print, signal: output.closed });
    await whole.settled();
    printer.end();
  } catch (error) {
    if (!output.closed.aborted) throw error;
  }
}

const NOTHING = new Uint8Array();
