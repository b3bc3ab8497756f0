import { type Client, createClient, type FetchLike } from '../contract/client.ts';
import { routeTable } from '../contract/route-table.ts';
import { CliError } from './cli-error.ts';
import type { Cli } from './cli.ts';
import { type Credential, findCredential, headersOf } from './credential.ts';
import { exitCodes } from './exit-codes.ts';
import { httpFetch } from './http-fetch.ts';
import { readTextFile } from './json-file.ts';
import { findTarget, type Target } from './target.ts';

export interface Connection {
  client: Client;
  /** Where the daemon is, as far as is known now. */
  readonly target: Target;
  /** What says who asks; undefined where nobody is signed in. */
  readonly credential: Credential | undefined;
  /** The headers that say who asks. */
  credentials(): Record<string, string>;
  /** The transport of the client, for answers that should not be held in memory. */
  fetch: FetchLike;
}

/** No daemon answers. */
export class Unreachable extends CliError {
  /** True when nothing of ours listens there, so that nothing can have been done. */
  readonly isRefused: boolean;
  constructor({ url, isLocal }: Target, cause: unknown) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    const isSilent = code === 'ECONNREFUSED';
    const reason = isSilent || !(cause instanceof Error) ? '' : ` (${cause.message || String(code)})`;
    super(exitCodes.unreachable, `No daemon at ${url}${reason}.`, {
      next: isLocal
        ? 'Start it: svc daemon start, or add --autostart'
        : 'Check the address: --url, SVC_URL or svc context ls',
      cause,
    });
    this.isRefused = isSilent || cause instanceof NotOurs;
  }
}

/** Something listens at the address of this home that was not given its secret, and it wants one. */
class NotOurs extends Error {
  constructor() {
    super('what listens there is not yours');
  }
}

/** Where a request goes is known only when it is sent: the daemon may come back elsewhere. */
const placeholder = 'http://daemon';

/** A connection; its first request starts the daemon of this machine when there is none and `mayStart` allows it. */
export function openConnection(cli: Cli, options: { mayStart?: boolean; target?: Target } = {}): Connection {
  let target = options.target ?? findTarget(cli);
  let mayStart = options.mayStart ?? mayStartDaemon(cli, target);
  const credentials = () => headersOf(findCredential(cli, target));
  const send: FetchLike = async (url, init) => {
    const { pathname, search } = new URL(url);
    const credential = findCredential(cli, target);
    try {
      const response = await httpFetch(`${target.url}${pathname}${search}`, {
        ...init,
        headers: { ...init.headers, ...headersOf(credential) },
      });
      refuseStrangers(response, target);
      if (response.status === 401 && !credential && isOwned(cli, target)) {
        await response.text();
        throw new NotOurs();
      }
      mayStart = false;
      return response;
    } catch (error) {
      if (error instanceof CliError || init.signal?.aborted) throw error;
      throw new Unreachable(target, error);
    }
  };
  /** Starts the daemon where that is allowed, and looks where it is now; answers whether asking again makes sense. */
  const recover = async (): Promise<boolean> => {
    const before = target.url;
    const isStarted = mayStart;
    mayStart = false;
    if (isStarted) {
      const { startDaemonProcess } = await import('./start-daemon-process.ts');
      const { url, isOurs } = await startDaemonProcess(cli);
      if (isOurs)
        cli.output.note(
          cli.output.paintError('dim', `Started the daemon at ${url}. It ends with: svc daemon stop`),
        );
    }
    target = options.target ?? findTarget(cli);
    return isStarted || target.url !== before;
  };
  const fetch: FetchLike = async (url, init) => {
    try {
      return await send(url, init);
    } catch (error) {
      if (error instanceof Unreachable && error.isRefused && (await recover())) return send(url, init);
      throw error;
    }
  };
  return {
    client: createClient(routeTable, { baseUrl: placeholder, fetch }),
    get target() {
      return target;
    },
    get credential() {
      return findCredential(cli, target);
    },
    credentials,
    fetch,
  };
}

/** True where this home has an owner who would be signed in at its daemon. */
const isOwned = ({ locations }: Cli, { isLocal }: Target) =>
  isLocal && readTextFile(locations.ownerSessionFile) !== undefined;

function mayStartDaemon({ options, surroundings: { env } }: Cli, target: Target): boolean {
  if (!target.isLocal) return false;
  if (options.autostart !== undefined) return options.autostart;
  return !isOn(env['SVC_NO_AUTOSTART']) && !isOn(env['CI']);
}

const isOn = (value: string | undefined) => value !== undefined && !['', '0', 'false'].includes(value);

function refuseStrangers(response: Awaited<ReturnType<FetchLike>>, { url }: Target): void {
  const type = response.headers.get('content-type') ?? '';
  if (response.status === 204 || /json|event-stream/.test(type)) return;
  throw new CliError(
    exitCodes.unreachable,
    `What answers at ${url} is not svc (HTTP ${response.status}, ${type || 'no content type'}).`,
    { next: 'Another address: --url URL, or SVC_PORT' },
  );
}
