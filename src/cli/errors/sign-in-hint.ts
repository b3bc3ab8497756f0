import type { Cli } from '../program/cli.ts';
import { isApiToken } from '../connection/credential.ts';
import { readDaemonFile } from '../connection/daemon-file.ts';
import { readTextFile } from '../input/json-file.ts';
import { originOf } from '../connection/target.ts';

/** What helps depends on what was sent; who is known and may not do it is helped by nothing that can be typed here. */
export function signInHint(cli: Cli, status: 401 | 403): string | undefined {
  const { credential, target } = cli.connect();
  const isToken = credential !== undefined && isApiToken(credential.text);
  if (status === 403 && !isToken) return undefined;
  if (credential?.from === 'environment')
    return status === 403
      ? 'Try without it: unset SVC_TOKEN'
      : 'What SVC_TOKEN holds is not good (any more): unset SVC_TOKEN, or make another: svc tokens create';
  if (credential?.from === 'owner') return 'Make it anew: svc daemon restart';
  const { url } = cli.options;
  const { context } = target;
  if (context !== undefined)
    return isToken
      ? `Another token: svc context set ${context} --url ${target.url} --token-stdin`
      : `Sign in: svc auth login --context ${context}, or pair${credential ? ' again' : ''}: svc devices pair --context ${context}`;
  const login = url === undefined ? 'Sign in: svc auth login' : `Sign in: svc auth login --url ${url}`;
  const isNew = target.isLocal && readTextFile(cli.locations.setupCodeFile) !== undefined;
  return isNew ? `${login}, or make the first account: svc auth signup` : login;
}

/** Another home of this user may have a daemon on the port of this one, which does not know its owner. */
export function foreignDaemon(cli: Cli): { message: string; next: string } | undefined {
  const { credential, target } = cli.connect();
  if (credential?.from !== 'owner') return undefined;
  const running = readDaemonFile(cli.locations);
  if (running && originOf(running.url) === originOf(target.url)) return undefined;
  const { port } = new URL(target.url);
  return {
    message: `The daemon at ${target.url} is not the one of ${cli.locations.data}.`,
    next: `Choose another port: SVC_PORT=${Number(port) + 1}`,
  };
}
