import type { Client } from '../../../contract/client.ts';
import type { Guard } from '../../../contract/guards.ts';
import { confirm } from '../../input/ask.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { closest } from '../../../contract/closest.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { exitCodes } from '../../errors/exit-codes.ts';

interface Format {
  json?: boolean;
}

/** `svc guards ls`. */
export async function listGuards(cli: Cli, { json }: Format): Promise<void> {
  const { output } = cli;
  const answer = await cli.connect().client.guards.list();
  if (json) return output.json(answer);
  output.table<Guard>(
    [
      { title: 'NAME', value: ({ name }) => name },
      {
        title: 'STATE',
        value: ({ enabled }) => (enabled ? 'enabled' : 'disabled'),
        paint: (cell, { enabled }) => output.paint(enabled ? 'green' : 'red', cell),
      },
      { title: 'DESCRIPTION', value: ({ description }) => description, isElastic: true },
    ],
    answer.guards,
  );
}

/** `svc guards enable NAME`. */
export async function enableGuard(cli: Cli, text: string, options: Format): Promise<void> {
  const { client } = cli.connect();
  const guard = await findGuard(client, text);
  await setGuard(cli, guard, true, options);
}

/** `svc guards disable NAME`: explains the risk before it confirms. */
export async function disableGuard(
  cli: Cli,
  text: string,
  { yes = false, json }: Format & { yes?: boolean },
): Promise<void> {
  const { output } = cli;
  const guard = await findGuard(cli.connect().client, text);
  if (guard.enabled) {
    output.note(`${guard.name}: ${escapeLine(guard.description)}`);
    output.note('Disabling it weakens protection for every tool in every mode.');
    if (!yes && !(await confirm(cli, 'Disable it?')))
      throw new CliError(exitCodes.cancelled, 'Nothing was changed.');
  }
  await setGuard(cli, guard, false, { ...(json && { json }) });
}

async function setGuard(cli: Cli, { name, enabled }: Guard, shouldEnable: boolean, { json }: Format) {
  const { output } = cli;
  const answer = await cli
    .connect()
    .client.guards.update({ params: { name }, body: { enabled: shouldEnable } });
  if (json) return output.json(answer);
  const state = shouldEnable ? 'enabled' : 'disabled';
  if (enabled === shouldEnable) return output.note(`${name} is already ${state}.`);
  output.note(
    shouldEnable ? `Enabled ${name}.` : `Disabled ${name}. Enable it again: svc guards enable ${name}`,
  );
}

async function findGuard(client: Client, text: string): Promise<Guard> {
  const { guards } = await client.guards.list();
  const known = guards.find(({ name }) => name === text);
  if (known) return known;
  const names = guards.map(({ name }) => name);
  const meant = closest(text, names);
  throw new CliError(
    exitCodes.notFound,
    `There is no guard "${text}".${meant === undefined ? ` Available: ${names.join(', ')}.` : ` Did you mean ${meant}?`}`,
    { next: 'See them: svc guards ls' },
  );
}
