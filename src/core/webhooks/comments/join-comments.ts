import type { ConnectionService } from '../../auth/oauth/connection-service.ts';
import type { Config } from '../../config/config.ts';
import type { EventBus } from '../../events.ts';
import type { Log } from '../../log.ts';
import type { OutboundFetch } from '../../outbound/outbound-fetch.ts';
import type { Database, WriteTransaction } from '../../storage/database.ts';
import type { Surroundings } from '../../surroundings.ts';
import type { CommentTarget } from '../inbound/source-work.ts';

export interface SourceCommentParts {
  database: Database;
  bus: EventBus;
  config: Config;
  connections: ConnectionService;
  fetch: OutboundFetch;
  surroundings: Surroundings;
  log: Log;
}

/** A task whose source wants to hear how it goes. */
export interface NewSourceComment {
  taskId: string;
  ownerId: string;
  target: CommentTarget;
}

/** The comments that tell the source of a task how it goes. */
export function joinComments(_parts: SourceCommentParts) {
  return {
    sourceComments: {
      add(_transaction: WriteTransaction, _comment: NewSourceComment): void {},
      start(): void {},
      async stop(): Promise<void> {},
    },
  };
}
