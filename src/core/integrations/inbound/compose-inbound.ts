import type { AgentRegistry } from '../../agents/agent-registry.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import type { UserStore } from '../../auth/user-store.ts';
import type { Config } from '../../config/config.ts';
import type { RateLimits } from '../../limits/rate-limits.ts';
import { type Feature, TIDY_EVERY_MS } from '../../lifecycle.ts';
import type { Log } from '../../log.ts';
import type { Database } from '../../storage/database.ts';
import type { Runtime } from '../../runtime.ts';
import type { TaskService } from '../../tasks/task-service.ts';
import { checkAgentRules } from './check-agent-rules.ts';
import { ClaimStore } from './claim-store.ts';
import { DeliveryLog } from './delivery-log.ts';
import { FollowUpIntake, type FollowUpIntakeDeps } from './follow-up-intake.ts';
import { InboundRetention } from './inbound-retention.ts';
import { InboundService } from './inbound-service.ts';
import { InboundStore } from './inbound-store.ts';
import { sourceReaders } from './source-readers.ts';
import { WorkIntake, type WorkIntakeDeps } from './work-intake.ts';

export interface InboundDeps {
  database: Database;
  config: Config;
  audit: AuditLog;
  limits: RateLimits;
  users: UserStore;
  tasks: TaskService;
  registry: AgentRegistry;
  sourceComments: WorkIntakeDeps['sourceComments'];
  pullRequestStore: FollowUpIntakeDeps['pullRequestStore'];
  taskStore: FollowUpIntakeDeps['taskStore'];
  worktrees: FollowUpIntakeDeps['worktrees'];
  policy: FollowUpIntakeDeps['policy'];
  checkAgentSandbox: FollowUpIntakeDeps['checkAgentSandbox'];
  runtime: Runtime;
  log: Log;
  /** For tests. */
  readers?: typeof sourceReaders;
}

/** Wires the inbound webhooks of GitHub, Jira and Linear. */
export function composeInbound(deps: InboundDeps) {
  const { database, audit, readers = sourceReaders } = deps;
  checkAgentRules(deps);
  const store = new InboundStore(database);
  const deliveries = new DeliveryLog({ store, audit, engine: database.engine });
  const followUps = new FollowUpIntake({ ...deps, deliveries });
  const intake = new WorkIntake({ ...deps, claims: new ClaimStore(database), deliveries, followUps });
  const inbound = new InboundService({ ...deps, readers, store, intake });
  const retention = new InboundRetention(deps);
  return {
    services: { inbound },
    lifecycle: { tidy: { everyMs: TIDY_EVERY_MS, run: () => retention.removeOld(), shared: 'inbound' } },
  } satisfies Feature<{ inbound: InboundService }>;
}
