import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { closest } from '../../../contract/closest.ts';
import { type Contexts, localContext, readContexts } from '../../connection/contexts-file.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { readTextFile } from '../../input/json-file.ts';
import { checkToken, findCredential, isApiToken } from '../../connection/credential.ts';
import { findTarget } from '../../connection/target.ts';

interface Options {
  json?: boolean;
}
interface Row {
  name: string;
  url: string;
  isCurrent: boolean;
  hasToken: boolean;
  credential?: 'session' | 'API token';
}

/** `svc context ls`. */
export function listContexts(cli: Cli, { json }: Options): void {
  const { output, locations } = cli;
  const { current = localContext, contexts = {} } = readContexts(locations);
  const rows = [localContext, ...Object.keys(contexts)].map((name): Row => {
    const target = findTarget({ ...cli, options: { context: name } });
    // SVC_TOKEN applies to this invocation, not to the context.
    const platform = { ...cli.platform, env: {} };
    const isOwner = target.isLocal && readTextFile(locations.ownerSessionFile) !== undefined;
    const text = isOwner ? '' : findCredential({ platform, locations }, target)?.text;
    return {
      name,
      url: target.url,
      isCurrent: name === current,
      hasToken: text !== undefined,
      ...(text !== undefined && { credential: isApiToken(text) ? 'API token' : 'session' }),
    };
  });
  if (json) return output.json({ contexts: rows });
  output.table(
    [
      { title: '', value: ({ isCurrent }) => (isCurrent ? '*' : '') },
      { title: 'NAME', value: ({ name }) => name },
      { title: 'URL', value: ({ url }) => url },
      { title: 'SIGNED IN', value: ({ credential }) => credential ?? 'no' },
    ],
    rows,
  );
}

/** `svc context use NAME`. */
export async function useContext(cli: Cli, name: string, options: Options): Promise<void> {
  requireContext(cli, name);
  await change(cli, (contexts) => ({ ...contexts, current: name }));
  cli.output.note(`Switched to context ${name}.`);
  if (options.json) listContexts(cli, options);
}

/** `svc context set NAME`. */
export async function setContext(
  cli: Cli,
  name: string,
  { tokenStdin = false, json = false }: Options & { tokenStdin?: boolean },
): Promise<void> {
  const { checkContextName, saveContext } = await import('../../connection/context-store.ts');
  checkContextName(name);
  const known = readContexts(cli.locations).contexts?.[name];
  const url = cli.options.url ?? known?.url;
  if (url === undefined)
    throw new CliError(exitCodes.usage, 'No daemon URL given.', {
      next: `Example: svc context set ${name} --url https://svc.example.com`,
    });
  const checked = findTarget({ ...cli, options: { url } }).url;
  // A session of one server is not for another.
  const kept = known && known.url === checked ? known.token : undefined;
  const token = tokenStdin ? await readToken(cli) : kept;
  saveContext(cli.locations, name, { url: checked, ...(token !== undefined && { token }) });
  cli.output.note(
    token === undefined
      ? `Saved. Sign in: svc auth login --context ${name}, or svc devices pair --context ${name}`
      : `Saved. Use it: svc context use ${name}`,
  );
  if (json) listContexts(cli, { json });
}

async function readToken(cli: Cli): Promise<string> {
  const { readSecret } = await import('../../input/read-secret.ts');
  const flag = 'svc context set NAME --url URL --token-stdin < FILE';
  return checkToken((await readSecret(cli, 'Session or API token: ', flag)).trim(), 'stdin');
}

/** `svc context rm NAME`. */
export async function removeContext(cli: Cli, name: string, options: Options): Promise<void> {
  requireContext(cli, name);
  if (name === localContext) throw new CliError(exitCodes.invalid, 'The context local cannot be removed.');
  await change(cli, ({ current, contexts = {}, ...others }) => {
    const { [name]: _removed, ...left } = contexts;
    return { ...others, ...(current !== undefined && current !== name && { current }), contexts: left };
  });
  cli.output.note(`Removed context ${name}.`);
  if (options.json) listContexts(cli, options);
}

function requireContext({ locations }: Cli, name: string): void {
  const names = [localContext, ...Object.keys(readContexts(locations).contexts ?? {})];
  if (names.includes(name)) return;
  const meant = closest(name, names);
  throw new CliError(
    exitCodes.notFound,
    `There is no context "${name}".${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
    {
      next: 'See them: svc context ls',
    },
  );
}

async function change(cli: Cli, how: (contexts: Contexts) => Contexts): Promise<void> {
  const { changeContexts } = await import('../../connection/context-store.ts');
  changeContexts(cli.locations, how);
}
