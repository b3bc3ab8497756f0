import { createClient, type FetchLike } from '../../contract/client.ts';
import { routeTable } from '../../contract/route-table.ts';
import { CliError } from '../errors/cli-error.ts';
import type { Cli } from '../program/cli.ts';
import { type Connection, ForeignListener, Unreachable } from './connection.ts';
import { findCredential, headersOf, isApiToken } from './credential.ts';
import { readFreshStart } from './daemon-file.ts';
import { exitCodes } from '../errors/exit-codes.ts';
import { httpFetch } from './http-fetch.ts';
import { readTextFile } from '../input/json-file.ts';
import { versionHeader } from '../../contract/locations.ts';
import { findTarget, type Target } from './target.ts';

/** The address is resolved when a request is sent, because the daemon may restart elsewhere. */
const placeholder = 'http://daemon';

/** A connection; its first request starts the daemon of this machine when there is none and `mayStart` allows it. */
export function openConnection(cli: Cli, options: { mayStart?: boolean; target?: Target } = {}): Connection {
  let target = options.target ?? findTarget(cli);
  let daemonVersion: string | undefined;
  let start: Promise<void> | undefined;
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
      requireSvc(response, target, init.headers['accept']);
      if (response.status === 401 && !credential && isOwned(cli, target)) {
        await response.text();
        throw new ForeignListener();
      }
      mayStart = false;
      daemonVersion = response.headers.get(versionHeader) ?? daemonVersion;
      return response;
    } catch (error) {
      if (error instanceof CliError || init.signal?.aborted) throw error;
      throw new Unreachable(target, error, target.isLocal ? readFreshStart(cli.locations) : undefined);
    }
  };
  /** Starts the daemon if allowed, and finds its current address; returns whether a retry makes sense. */
  const recover = async (): Promise<boolean> => {
    const before = target.url;
    if (mayStart) start = startDaemon(cli).finally(() => (start = undefined));
    mayStart = false;
    // Requests that are sent meanwhile wait for the same start.
    const isStarted = start !== undefined;
    await start;
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
  const client = createClient(routeTable, {
    baseUrl: placeholder,
    fetch,
    onAnswer: (answer, route) => cli.output.noteOrigin(answer, route),
  });
  return {
    client,
    async decide(id, body) {
      const credential = findCredential(cli, target);
      const maySign = credential && !isApiToken(credential.text);
      const signature = maySign
        ? await (await import('./sign-decision.ts')).signDecision(client, cli.locations, id, body)
        : undefined;
      return client.approvals.decide({ params: { id }, body: { ...body, ...(signature && { signature }) } });
    },
    get target() {
      return target;
    },
    get daemonVersion() {
      return daemonVersion;
    },
    get credential() {
      return findCredential(cli, target);
    },
    credentials,
    fetch,
  };
}

async function startDaemon(cli: Cli): Promise<void> {
  const { startDaemonProcess } = await import('./start-daemon-process.ts');
  const { url, isOurs } = await startDaemonProcess(cli);
  const { output } = cli;
  if (isOurs)
    output.note(output.paintError('dim', `Started the daemon at ${url}. Stop it with: svc daemon stop`));
}

/** True if this home has an owner session for its daemon. */
const isOwned = ({ locations }: Cli, { isLocal }: Target) =>
  isLocal && readTextFile(locations.ownerSessionFile) !== undefined;

function mayStartDaemon({ options, platform: { env } }: Cli, target: Target): boolean {
  if (!target.isLocal) return false;
  if (options.autostart !== undefined) return options.autostart;
  return !isOn(env['SVC_NO_AUTOSTART']) && !isOn(env['CI']);
}

const isOn = (value: string | undefined) => value !== undefined && !['', '0', 'false'].includes(value);

function requireSvc(response: Awaited<ReturnType<FetchLike>>, { url }: Target, accepted?: string): void {
  const type = response.headers.get('content-type') ?? '';
  if ([202, 204].includes(response.status) || type === accepted || /json|event-stream/.test(type)) return;
  throw new CliError(
    exitCodes.unreachable,
    `The server at ${url} is not svc (HTTP ${response.status}, ${type || 'no content type'}).`,
    { next: 'Use another address: --url URL, or SVC_PORT' },
  );
}
