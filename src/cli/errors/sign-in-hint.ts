import type { Cli } from '../program/cli.ts';
import { isApiToken } from '../connection/credential.ts';
import { readDaemonFile } from '../connection/daemon-file.ts';
import { readTextFile } from '../input/json-file.ts';
import { originOf } from '../connection/target.ts';

/** A hint for a 401 or 403, which depends on the credential; no command helps a known user without the right. */
export function signInHint(cli: Cli, status: 401 | 403): string | undefined {
  const { credential, target } = cli.connect();
  const isToken = credential !== undefined && isApiToken(credential.text);
  if (status === 403 && !isToken) return undefined;
  if (credential?.from === 'environment')
    return status === 403
      ? 'Try without it: unset SVC_TOKEN'
      : 'SVC_TOKEN is invalid or expired: unset SVC_TOKEN, or create a new token: svc tokens create';
  if (credential?.from === 'owner') return 'Restart the daemon to renew the session: svc daemon restart';
  const { url } = cli.options;
  const { context } = target;
  if (context !== undefined)
    return isToken
      ? `Set a new token: svc context set ${context} --url ${target.url} --token-stdin`
      : `Sign in: svc auth login --context ${context}, or pair${credential ? ' again' : ''}: svc devices pair --context ${context}`;
  const login = url === undefined ? 'Sign in: svc auth login' : `Sign in: svc auth login --url ${url}`;
  const isNew = target.isLocal && readTextFile(cli.locations.setupCodeFile) !== undefined;
  return isNew ? `${login}, or create the first account: svc auth signup` : login;
}

/** Another home of this user may have a daemon on the port of this one, which does not know its owner. */
export function foreignDaemon(cli: Cli): { message: string; next: string } | undefined {
  const { credential, target } = cli.connect();
  if (credential?.from !== 'owner') return undefined;
  const running = readDaemonFile(cli.locations);
  if (running && originOf(running.url) === originOf(target.url)) return undefined;
  const { port } = new URL(target.url);
  return {
    message: `The daemon at ${target.url} does not belong to ${cli.locations.data}.`,
    next: `Choose another port: SVC_PORT=${Number(port) + 1}`,
  };
}
