import type { Locations } from '../../contract/locations.ts';
import type { AuditArchive } from '../audit/audit-archive.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { ConversationRemoval } from '../chat/conversation-removal.ts';
import type { Leases } from '../leases.ts';
import type { Config } from '../config/config.ts';
import type { Feature } from '../lifecycle.ts';
import type { Workspaces } from '../processes/workspaces.ts';
import type { Runtime } from '../runtime.ts';
import type { Database } from '../storage/database.ts';
import type { TaskOutputs } from '../tasks/task-outputs.ts';
import type { TaskRemoval } from '../tasks/task-removal.ts';
import { auditRule } from './audit-rule.ts';
import { conversationRule } from './conversation-rule.ts';
import { DataService } from './data-service.ts';
import { removeOldDays } from './old-days.ts';
import { Retention } from './retention.ts';
import { rowKinds, rowRule } from './row-rules.ts';
import { taskEventRule, taskRule } from './task-rules.ts';
import { upgradeCopyRule } from './upgrade-copy-rule.ts';
import { directoryRule } from './directory-rule.ts';

const TIDY_EVERY_MS = 300_000;

export interface RetentionFeatureDeps {
  database: Database;
  config: Config;
  audit: AuditLog;
  auditArchive: AuditArchive;
  locations: Locations;
  workspaces: Workspaces;
  taskOutputs: TaskOutputs;
  taskRemoval: TaskRemoval;
  conversationRemoval: ConversationRemoval;
  tidyKeptFiles: () => Promise<void>;
  leases: Pick<Leases, 'takeRound'>;
  runtime: Runtime;
}

/** Wires the retention of stored data, automatic and on request. */
export function composeRetention(deps: RetentionFeatureDeps) {
  const {
    database,
    locations,
    auditArchive,
    workspaces,
    taskOutputs,
    taskRemoval: removal,
    conversationRemoval,
    leases,
    runtime,
  } = deps;
  const rules = [
    ...rowKinds.map((kind) => rowRule(database, kind)),
    taskEventRule({ database, removal }),
    taskRule({ database, removal }),
    conversationRule(database, conversationRemoval),
    directoryRule(database, workspaces, { name: 'workspaces', setting: 'retention.workspacesDays' }),
    directoryRule(database, taskOutputs, { name: 'outputs', setting: 'retention.outputsDays' }),
    upgradeCopyRule(locations.databaseFile),
    auditRule(database, auditArchive),
  ];
  const retention = new Retention({ ...deps, rules, now: runtime.now });
  const services = { retention, data: new DataService({ ...deps, retention }) };
  const run = async () => {
    // Files of each daemon, rows of all.
    if (!(await leases.takeRound('retention', TIDY_EVERY_MS * 0.9))) {
      await retention.removeOld(true);
      return;
    }
    await removal.removeLeftEvents();
    await auditArchive.removeArchived();
    await retention.removeOld();
    await removeOldDays(database, runtime.now());
    await retention.giveBack();
  };
  return { services, lifecycle: { tidy: { everyMs: TIDY_EVERY_MS, run } } } satisfies Feature<
    typeof services
  >;
}
