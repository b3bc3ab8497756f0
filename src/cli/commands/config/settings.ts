import { ApiError } from '../../../contract/client.ts';
import type { Setting } from '../../../contract/config.ts';
import { currentKey } from '../../../contract/setting-keys.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { closest } from '../../../contract/closest.ts';
import { contextsFileName } from '../../connection/contexts-file.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { exitCodes } from '../../errors/exit-codes.ts';

interface Options {
  json?: boolean;
}

const show = (value: unknown) =>
  value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);

/** `svc config ls`. */
export async function listSettings(cli: Cli, { json }: Options): Promise<void> {
  const { output } = cli;
  const answer = await cli.connect().client.config.list();
  if (json) return output.json(answer);
  output.table<Setting>(
    [
      { title: 'KEY', value: ({ key }) => key },
      {
        title: 'VALUE',
        value: ({ value, pending }) =>
          pending === undefined ? show(value) : `${show(value)} (${show(pending)} after a restart)`,
        isElastic: true,
      },
      {
        title: 'FROM',
        value: originOf,
        paint: (cell, { origin }) => (origin === 'default' ? output.paint('dim', cell) : cell),
      },
      { title: 'DESCRIPTION', value: ({ description }) => description, isElastic: true, fromWidth: 110 },
    ],
    answer.settings,
  );
}

/** Where a value comes from; in a cluster, whether that is for all daemons or for the one that answers. */
function originOf({ origin, scope }: Setting): string {
  if (scope !== 'cluster' || origin === 'default') return origin;
  return origin === 'settings' ? 'cluster' : `${origin}, this daemon only`;
}

/** `svc config get KEY`. */
export async function getSetting(cli: Cli, key: string, { json }: Options): Promise<void> {
  const setting = await findSetting(cli, key);
  if (json) cli.output.json(setting);
  else cli.output.text(`${show(setting.value)}\n`);
}

/** `svc config set KEY [VALUE]`. */
export async function setSetting(
  cli: Cli,
  key: string,
  value: string | undefined,
  options: Options,
): Promise<void> {
  const setting = await findSetting(cli, key);
  await changeSetting(cli, setting.key, await readValue(cli, setting, value), options);
}

/** `svc config unset KEY`. */
export async function unsetSetting(cli: Cli, key: string, options: Options): Promise<void> {
  const setting = await findSetting(cli, key);
  await changeSetting(cli, setting.key, null, options);
}

async function changeSetting(
  cli: Cli,
  key: string,
  value: Setting['value'],
  { json }: Options,
): Promise<void> {
  const { output } = cli;
  const answer = await cli
    .connect()
    .client.config.update({ params: { key }, body: { value } })
    .catch((error: unknown) => wrongValue(key, error));
  if (json) return output.json(answer);
  const setting = viewOf(answer.setting, key);
  const on = answer.daemon === undefined ? '' : ` on ${escapeLine(answer.daemon)}`;
  if (setting.pending !== undefined) {
    const restart =
      setting.scope === 'cluster' ? 'a restart of every daemon.' : 'a restart: svc daemon restart';
    output.note(`${key} will be ${escapeLine(show(setting.pending)) || 'unset'}${on} after ${restart}`);
  } else if (setting.origin === 'environment' || setting.origin === 'flag')
    output.note(
      `Saved${setting.scope === 'cluster' ? ' for the cluster' : ''}, but ${setting.origin === 'flag' ? 'a flag' : setting.environment} takes precedence: ${key} is ${escapeLine(show(setting.value))}${on}.`,
    );
  else output.note(`${key} is ${escapeLine(show(setting.value)) || 'unset'}${on} (${originOf(setting)}).`);
  if (answer.daemon !== undefined)
    output.note(
      `Other daemons have a value of their own. Set it at the address of each${setting.environment === undefined ? '' : `, or as ${setting.environment} in their environment`}.`,
    );
}

/** `svc config path`. */
export function showPaths({ locations, output }: Cli, { json }: Options): void {
  const paths = { ...locations, contextsFile: `${locations.config}/${contextsFileName}.json` };
  if (json) return output.json(paths);
  for (const [name, path] of Object.entries(paths))
    output.write(`${output.paint('dim', name.padEnd(17))} ${escapeLine(path)}\n`);
}

async function findSetting(cli: Cli, key: string): Promise<Setting> {
  const { settings } = await cli.connect().client.config.list();
  const setting =
    settings.find((each) => currentKey(each.key) === currentKey(key)) ??
    settings.find((each) => key.startsWith(`${each.key}.`) && entriesOf(each.value) && !each.isSecret);
  if (!setting) throw noSuchSetting(key, settings);
  return viewOf(setting, key);
}

const entriesOf = (value: Setting['value'] | undefined) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;

/** The setting itself, or the one entry of it that a key such as `routes.fast` names, as if it were a setting. */
function viewOf(setting: Setting, key: string): Setting {
  const entry = key.startsWith(`${setting.key}.`) ? key.slice(setting.key.length + 1) : undefined;
  if (entry === undefined) return setting;
  const of = (value: Setting['value'] | undefined) => entriesOf(value)?.[entry] ?? null;
  const { value, default: usual, pending, ...rest } = setting;
  return {
    ...rest,
    key,
    value: of(value),
    default: of(usual),
    ...(pending !== undefined && { pending: of(pending) }),
  };
}

/** A secret is never taken from the arguments, which every user of the machine can see. */
async function readValue(cli: Cli, setting: Setting, text: string | undefined): Promise<Setting['value']> {
  const { key, isSecret } = setting;
  const next = `svc config set ${key} < FILE`;
  if (!isSecret && text !== undefined) return parseValue(text, setting);
  if (!isSecret)
    throw new CliError(exitCodes.usage, `No value given for ${key}.`, {
      next: `svc config set ${key} VALUE`,
    });
  if (text !== undefined)
    throw new CliError(exitCodes.usage, 'A secret cannot be an argument, where other users could see it.', {
      next,
    });
  const { readSecret } = await import('../../input/read-secret.ts');
  return (await readSecret(cli, `${key}: `, next)).trim();
}

/** A setting without a default does not reveal that it is a list. */
function wrongValue(key: string, error: unknown): never {
  const isArray = error instanceof ApiError && /expected array/i.test(JSON.stringify(error.body));
  if (!isArray) throw error;
  throw new CliError(exitCodes.invalid, `${key} is a list.`, {
    next: `Write it as JSON: svc config set ${key} '["one","two"]'`,
    cause: error,
  });
}

function noSuchSetting(key: string, settings: Setting[]): CliError {
  const meant = closest(
    key,
    settings.map((each) => each.key),
  );
  return new CliError(
    exitCodes.notFound,
    `There is no setting "${key}".${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
    { next: 'See them: svc config ls' },
  );
}

function parseValue(text: string, setting: Setting): Setting['value'] {
  try {
    return JSON.parse(text) as Setting['value'];
  } catch {
    // Text needs no quotes, and a list of texts no brackets.
    return isList(setting)
      ? text
          .split(',')
          .map((part) => part.trim())
          .filter(Boolean)
      : text;
  }
}

const isList = ({ value, default: usual }: Setting) => Array.isArray(value) || Array.isArray(usual);
