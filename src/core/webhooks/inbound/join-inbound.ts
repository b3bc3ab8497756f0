import type { AuditLog } from '../../audit/audit-log.ts';
import type { UserStore } from '../../auth/user-store.ts';
import type { Config } from '../../config/config.ts';
import type { RateLimits } from '../../limits/rate-limits.ts';
import type { Log } from '../../log.ts';
import type { Database } from '../../storage/database.ts';
import type { Surroundings } from '../../surroundings.ts';
import type { TaskService } from '../../tasks/task-service.ts';
import type { joinComments } from '../comments/join-comments.ts';

export interface InboundParts {
  database: Database;
  config: Config;
  audit: AuditLog;
  limits: RateLimits;
  users: UserStore;
  tasks: TaskService;
  sourceComments: ReturnType<typeof joinComments>['sourceComments'];
  surroundings: Surroundings;
  log: Log;
}

/** What takes the webhooks of GitHub, Jira and Linear. */
export function joinInbound(_parts: InboundParts) {
  return { removeOldInbound: async (): Promise<void> => {} };
}
