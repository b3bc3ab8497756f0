import type { Cli } from '../../program/cli.ts';
import { forEachId } from '../../ids/for-each-id.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { resolveId, withId } from '../../ids/resolve-id.ts';

interface Options {
  json?: boolean;
}

/** `svc tasks cancel ID...`. */
export const cancelTasks = (cli: Cli, ids: string[], options: Options): Promise<void> =>
  change(cli, ids, options, 'cancel', (id) => `${id} cancelled`);

/** `svc tasks release ID...`. */
export const releaseTasks = (cli: Cli, ids: string[], options: Options): Promise<void> =>
  change(cli, ids, options, 'release', (id) => `${id} released`);

/** `svc tasks retry ID...`: prints the ids of the new tasks. */
export const retryTasks = (cli: Cli, ids: string[], options: Options): Promise<void> =>
  change(cli, ids, options, 'retry', (id, created) => `${id} retried as ${created}`);

/** `svc tasks rm ID...`. */
export function removeTasks(cli: Cli, ids: string[], { json }: Options): Promise<void> {
  const { output } = cli;
  const { client } = cli.connect();
  return forEachId(cli, ids, async (text) => {
    const { id, answer } = await withId(text, idsOf(client, 'task'), (each) =>
      client.tasks.delete({ params: { id: each } }),
    );
    if (json) return output.json(answer);
    output.write(`${id}\n`);
    output.note('Task deleted.');
  });
}

function change(
  cli: Cli,
  texts: string[],
  { json }: Options,
  verb: 'cancel' | 'release' | 'retry',
  describe: (id: string, resultId: string) => string,
): Promise<void> {
  const { output } = cli;
  const { client } = cli.connect();
  return forEachId(cli, texts, async (text) => {
    const id = await resolveId(text, idsOf(client, 'task'));
    const answer = await client.tasks[verb]({ params: { id } });
    if (json) return output.json(answer);
    output.write(`${answer.task.id}\n`);
    output.note(describe(id, answer.task.id));
  });
}
