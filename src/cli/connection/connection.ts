import type { DecideApproval, DecidedApproval } from '../../contract/approvals.ts';
import type { Client, FetchLike } from '../../contract/client.ts';
import { CliError } from '../errors/cli-error.ts';
import { exitCodes } from '../errors/exit-codes.ts';
import type { Credential } from './credential.ts';
import type { StartingDaemon } from './daemon-file.ts';
import type { Target } from './target.ts';

/** The connection of a command to the daemon. */
export interface Connection {
  client: Client;
  /** Decides a call, signed with the key of this machine where a person is signed in. */
  decide(id: string, body: DecideApproval): Promise<DecidedApproval>;
  /** The current address of the daemon. */
  readonly target: Target;
  /** The version of the daemon, once it has answered a request of a signed-in client. */
  readonly daemonVersion: string | undefined;
  /** What authenticates requests; undefined if not signed in. */
  readonly credential: Credential | undefined;
  /** The headers that authenticate a request. */
  credentials(): Record<string, string>;
  /** The transport of the client, for responses that are too large for memory. */
  fetch: FetchLike;
}

const hints = {
  local: 'Start it: svc daemon start, or add --autostart',
  remote: 'Check the address: --url, SVC_URL or svc context ls',
};

/** No daemon responds. */
export class Unreachable extends CliError {
  /** True if the request cannot have reached a daemon of ours. */
  readonly isRefused: boolean;
  constructor({ url, isLocal }: Target, cause: unknown, starting?: StartingDaemon) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    const isSilent = code === 'ECONNREFUSED';
    const reason = isSilent || !(cause instanceof Error) ? '' : ` (${cause.message || String(code)})`;
    super(
      exitCodes.unreachable,
      starting ? `The daemon is still starting: ${starting.step.text}.` : `No daemon at ${url}${reason}.`,
      { next: starting ? 'Wait for it: svc daemon start' : hints[isLocal ? 'local' : 'remote'], cause },
    );
    this.isRefused = isSilent || cause instanceof ForeignListener;
  }
}

/** Another user's process listens at the address of this home and requires a credential. */
export class ForeignListener extends Error {
  constructor() {
    super('the process listening there is not yours');
  }
}
