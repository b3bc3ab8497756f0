import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { forEachId } from '../../ids/for-each-id.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { withId } from '../../ids/resolve-id.ts';
import { formatZonedFully } from './zoned-time.ts';

interface Options {
  json?: boolean;
}

/** `svc schedules pause|resume ID…`. */
export async function setActive(
  cli: Cli,
  texts: string[],
  active: boolean,
  { json }: Options,
): Promise<void> {
  const { output } = cli;
  const { client } = cli.connect();
  await forEachId(cli, texts, async (text) => {
    const { id, answer } = await withId(text, idsOf(client, 'schedule'), (each) =>
      client.schedules.update({ params: { id: each }, body: { active } }),
    );
    if (json) return output.json(answer);
    const { nextRunAt, timezone } = answer.schedule;
    output.write(`${id}\n`);
    output.note(
      nextRunAt === undefined
        ? `Schedule paused. Resume it: svc schedules resume ${id}`
        : `Schedule resumed. Next run: ${formatZonedFully(nextRunAt, timezone)} (${timezone}).`,
    );
  });
}

/** `svc schedules run ID`: the id of the task alone on stdout. */
export async function runSchedule(cli: Cli, text: string, { json }: Options): Promise<void> {
  const { output } = cli;
  const { client } = cli.connect();
  const { id, answer } = await withId(text, idsOf(client, 'schedule'), (each) =>
    client.schedules.run({ params: { id: each } }),
  );
  if (json) return output.json(answer);
  const { task } = answer;
  if (!task)
    throw new CliError(exitCodes.pending, 'The run starts once the previous one has finished.', {
      next: `See: svc schedules show ${id}`,
    });
  output.write(`${task.id}\n`);
  output.note(`Follow it: svc tasks logs -f ${task.id}`);
}

/** `svc schedules rm ID…`. */
export async function removeSchedules(cli: Cli, texts: string[], { json }: Options): Promise<void> {
  const { output } = cli;
  const { client } = cli.connect();
  await forEachId(cli, texts, async (text) => {
    const { id, answer } = await withId(text, idsOf(client, 'schedule'), (each) =>
      client.schedules.delete({ params: { id: each } }),
    );
    if (json) return output.json(answer);
    output.write(`${id}\n`);
    output.note('Schedule removed. The tasks it created stay.');
  });
}
