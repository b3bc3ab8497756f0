import { type Locations, sessionCookie, type Platform } from '../../contract/locations.ts';
import type { tokenPrefix as contractPrefix } from '../../contract/scopes.ts';
import { CliError } from '../errors/cli-error.ts';
import { readContexts } from './contexts-file.ts';
import { isOwnProcess, readDaemonFile } from './daemon-file.ts';
import { exitCodes } from '../errors/exit-codes.ts';
import { readTextFile } from '../input/json-file.ts';
import { listenerAt } from './own-listener.ts';
import { originOf, type Target } from './target.ts';

/** How an API token begins; the contract's own file would load the schemas. */
const tokenPrefix = 'svc_' satisfies typeof contractPrefix;

/** What authenticates a request: a session or an API token. */
export interface Credential {
  text: string;
  /** `owner`: the file that the daemon of this machine wrote; `login`: `svc auth login` without a context. */
  from: 'environment' | 'context' | 'owner' | 'login';
}

interface Sources {
  platform: Platform;
  locations: Locations;
}

/** Precedence: SVC_TOKEN, the token of the context, the owner session of this machine, the session of this origin. */
export function findCredential({ platform, locations }: Sources, target: Target): Credential | undefined {
  const token = platform.env['SVC_TOKEN']?.trim();
  if (token) return { text: checkToken(token, 'SVC_TOKEN'), from: 'environment' };
  if (target.token !== undefined) return { text: target.token, from: 'context' };
  const owner = target.isLocal ? readTextFile(locations.ownerSessionFile)?.trim() : undefined;
  if (owner && isOwnDaemon({ locations }, target)) return { text: owner, from: 'owner' };
  const login = readContexts(locations).logins?.[originOf(target.url)];
  return login === undefined ? undefined : { text: login, from: 'login' };
}

/** Another process at the address of this home must get no secret of it: any user can bind a free port. */
export function isOwnDaemon({ locations }: Pick<Sources, 'locations'>, { url, isLocal }: Target): boolean {
  if (!isLocal) return false;
  const listener = listenerAt(url);
  if (listener !== 'unknown') return listener === 'own';
  // Elsewhere than on Linux: the file names a process, which must be one of ours.
  const running = readDaemonFile(locations);
  return running !== undefined && originOf(running.url) === originOf(url) && isOwnProcess(running.pid);
}

export const isApiToken = (text: string): boolean => text.startsWith(tokenPrefix);

/** A stored session is sent as a cookie; SVC_TOKEN and every API token as a bearer token. */
export function headersOf(credential: Credential | undefined): Record<string, string> {
  if (!credential) return {};
  const { text, from } = credential;
  return from === 'environment' || isApiToken(text)
    ? { authorization: `Bearer ${text}` }
    : { cookie: `${sessionCookie}=${text}` };
}

/** Throws unless the text has the form of a token. */
export function checkToken(text: string, source: string): string {
  if (/^[\w-]{1,200}$/.test(text)) return text;
  throw new CliError(exitCodes.invalid, `${source} is neither a session nor an API token.`, {
    next: 'A token is one word of letters, digits, - and _.',
  });
}
