import type { TaskTrace } from '../../../contract/task-trace.ts';
import { traceSums } from '../../../contract/trace-rows.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { resolveId } from '../../ids/resolve-id.ts';
import { formatDuration } from '../../output/duration.ts';
import { formatWaterfall } from '../../output/waterfall.ts';
import type { Cli } from '../../program/cli.ts';
import { paintStatus } from './paint-status.ts';

/** The width of what is not printed on a terminal. */
const PIPED_WIDTH = 100;
const WIDEST = 140;

/** `svc tasks trace ID`. */
export async function showTrace(cli: Cli, text: string, { json }: { json?: boolean }): Promise<void> {
  const { output } = cli;
  const { client } = cli.connect();
  const id = await resolveId(text, idsOf(client, 'task'));
  const trace = await client.tasks.getTrace({ params: { id } });
  if (json) return output.json(trace);
  const width = output.width === Number.POSITIVE_INFINITY ? PIPED_WIDTH : Math.min(output.width, WIDEST);
  output.write(
    `${output.paint('dim', trace.taskId)}  ${paintStatus(output.paint, trace.status, trace.status)}\n\n`,
  );
  output.write(formatWaterfall(trace.spans, { width, paint: output.paint }));
  output.write(`\n${summaryOf(trace)}\n`);
  if (trace.truncated) output.note('The task has too many events: its last spans are missing.');
}

/** Where the time went, in all: `waited 5.0 s · models 2.1 s · tools 0.4 s`. */
function summaryOf({ spans }: TaskTrace): string {
  const sums = traceSums(spans).map(([name, ms]) => `${name} ${formatDuration(ms)}`);
  return sums.length === 0 ? 'Nothing has taken time yet.' : sums.join(' · ');
}
