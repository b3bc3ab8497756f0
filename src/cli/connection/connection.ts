import type { Client, FetchLike } from '../../contract/client.ts';
import { CliError } from '../errors/cli-error.ts';
import { exitCodes } from '../errors/exit-codes.ts';
import type { Credential } from './credential.ts';
import type { Target } from './target.ts';

/** What a command speaks to the daemon with. */
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
    this.isRefused = isSilent || cause instanceof ForeignListener;
  }
}

/** Something listens at the address of this home that was not given its secret, and it wants one. */
export class ForeignListener extends Error {
  constructor() {
    super('what listens there is not yours');
  }
}
