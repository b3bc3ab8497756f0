import type { AuditLog } from '../../audit/audit-log.ts';
import type { UserStore } from '../../auth/user-store.ts';
import type { Config } from '../../config/config.ts';
import type { RateLimits } from '../../limits/rate-limits.ts';
import type { Log } from '../../log.ts';
import type { Database } from '../../storage/database.ts';
import type { Surroundings } from '../../surroundings.ts';
import type { TaskService } from '../../tasks/task-service.ts';
import { ClaimStore } from './claim-store.ts';
import { DeliveryLog } from './delivery-log.ts';
import { InboundRetention } from './inbound-retention.ts';
import { InboundService } from './inbound-service.ts';
import { InboundStore } from './inbound-store.ts';
import { sourceReaders } from './source-readers.ts';
import { WorkIntake, type WorkIntakeParts } from './work-intake.ts';

export interface InboundParts {
  database: Database;
  config: Config;
  audit: AuditLog;
  limits: RateLimits;
  users: UserStore;
  tasks: TaskService;
  sourceComments: WorkIntakeParts['sourceComments'];
  surroundings: Surroundings;
  log: Log;
  /** For tests. */
  readers?: typeof sourceReaders;
}

/** What takes the webhooks of GitHub, Jira and Linear. */
export function joinInbound(parts: InboundParts) {
  const { database, audit, readers = sourceReaders } = parts;
  const store = new InboundStore(database);
  const deliveries = new DeliveryLog({ store, audit });
  const intake = new WorkIntake({ ...parts, claims: new ClaimStore(database), deliveries });
  const inbound = new InboundService({ ...parts, readers, store, intake });
  const retention = new InboundRetention(parts);
  return { inbound, removeOldInbound: () => retention.removeOld() };
}
