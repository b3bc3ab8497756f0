import type { DatabaseSync } from 'node:sqlite';
import type { Kysely } from 'kysely';
import type { ReportStart } from '../../../contract/start-step.ts';
import { AppError } from '../../errors.ts';
import { up as approvalChanges } from '../migrations/approval-changes.ts';
import { up as approvalCoverage } from '../migrations/approval-coverage.ts';
import { up as approvals } from '../migrations/approvals.ts';
import { up as auth } from '../migrations/auth.ts';
import { up as conversationAgents } from '../migrations/conversation-agents.ts';
import { up as candidates } from '../migrations/candidates.ts';
import { up as conversationTurns } from '../migrations/conversation-turns.ts';
import { up as conversations } from '../migrations/conversations.ts';
import { up as denialReasons } from '../migrations/denial-reasons.ts';
import { up as directoriesAndEnvironments } from '../migrations/directories-and-environments.ts';
import { up as fileChanges } from '../migrations/file-changes.ts';
import { up as agentSessions } from '../migrations/agent-sessions.ts';
import { up as dayBudgets } from '../migrations/day-budgets.ts';
import { up as timeLimits } from '../migrations/time-limits.ts';
import { up as memory } from '../migrations/memory.ts';
import { up as owners } from '../migrations/owners.ts';
import { up as pairing } from '../migrations/pairing.ts';
import { up as projectMemory } from '../migrations/project-memory.ts';
import { up as pullRequests } from '../migrations/pull-requests.ts';
import { up as phones } from '../migrations/phones.ts';
import { up as publications } from '../migrations/publications.ts';
import { up as queueLanes } from '../migrations/queue-lanes.ts';
import { up as retention } from '../migrations/retention.ts';
import { up as signedDecisions } from '../migrations/signed-decisions.ts';
import { up as taskEnvironment } from '../migrations/task-environment.ts';
import { up as taskFailures } from '../migrations/task-failures.ts';
import { up as taskOutages } from '../migrations/task-outages.ts';
import { up as taskFilters } from '../migrations/task-filters.ts';
import { up as tasks } from '../migrations/tasks.ts';
import { up as verification } from '../migrations/verification.ts';
import { up as webhookFormats } from '../migrations/webhook-formats.ts';
import { up as webhooks } from '../migrations/webhooks.ts';
import { up as worktrees } from '../migrations/worktrees.ts';
import { type Migration, type ReportParts, sharedMigrations } from '../migration.ts';
import { copyBeforeMigration } from './upgrade-copy.ts';

export interface MigrateOptions {
  /** Default: all of them. */
  migrations?: Readonly<Record<string, Migration>>;
  /** Is called before each step of an upgrade; not for a database that is created. */
  report?: ReportStart | undefined;
}

/**
 * All migrations by their recorded names, in order. A released migration keeps its name, position and content; its file
 * may be renamed.
 */
export const allMigrations: Readonly<Record<string, Migration>> = {
  '0001-tasks': tasks,
  '0002-access': auth,
  '0003-chat': conversations,
  '0004-tools': approvals,
  '0005-outside': webhooks,
  '0006-memory': memory,
  '0007-pairing': pairing,
  '0008-owners': owners,
  '0009-approval-coverage': approvalCoverage,
  '0010-queue-lanes': queueLanes,
  '0011-retention': retention,
  '0012-task-failures': taskFailures,
  '0013-conversation-turns': conversationTurns,
  '0014-verification': verification,
  '0015-task-environment': taskEnvironment,
  '0016-project-memory': projectMemory,
  '0017-task-outages': taskOutages,
  '0018-denial-reasons': denialReasons,
  '0019-approval-changes': approvalChanges,
  '0020-file-changes': fileChanges,
  '0021-webhook-formats': webhookFormats,
  '0022-directories-and-environments': directoriesAndEnvironments,
  '0023-time-limits': timeLimits,
  '0024-worktrees': worktrees,
  '0025-agent-sessions': agentSessions,
  '0026-pull-requests': pullRequests,
  '0027-conversation-agents': conversationAgents,
  '0028-candidates': candidates,
  '0029-day-budgets': dayBudgets,
  '0030-publications': publications,
  '0032-signed-decisions': signedDecisions,
  '0034-phones': phones,
  '0035-task-filters': taskFilters,
  ...Object.fromEntries(Object.entries(sharedMigrations).map(([name, { up }]) => [name, up])),
};

/**
 * Migrates the schema to this version, each migration in its own transaction, which Kysely's migrator does not use on
 * SQLite. An existing database is copied to `<file>.before-<migration>` first; one from a newer svc is refused.
 */
export async function migrate<T>(
  native: DatabaseSync,
  db: Kysely<T>,
  file: string,
  { migrations = allMigrations, report: reportStep }: MigrateOptions = {},
): Promise<void> {
  native.exec('create table if not exists schema_migrations (name text primary key, done_at text not null)');
  const done = native
    .prepare('select name from schema_migrations')
    .all()
    .map((row) => String(row['name']));
  const unknown = done.filter((name) => !(name in migrations));
  if (unknown.length > 0)
    throw new AppError(
      'unavailable',
      `The database ${file} was written by a newer svc (it has ${unknown.join(', ')}). Upgrade svc, or use another SVC_HOME.`,
    );
  const pending = Object.entries(migrations).filter(([name]) => !done.includes(name));
  const [first] = pending;
  const isUpgrade = first !== undefined && done.length > 0;
  const report = isUpgrade && reportStep ? reportStep : () => undefined;
  if (isUpgrade)
    await copyBeforeMigration(native, file, first[0], (copied, total) =>
      report({ text: 'copying the database before its upgrade', done: copied, total }),
    );
  for (const [index, [name, up]] of pending.entries()) {
    const text = `upgrading the database, step ${index + 1} of ${pending.length}`;
    const reportParts: ReportParts = (parts, total) => report({ text, done: parts, total });
    reportParts(0, 0);
    native.exec('begin immediate');
    try {
      await up(db as unknown as Kysely<never>, reportParts);
      native
        .prepare("insert into schema_migrations values (?, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))")
        .run(name);
      native.exec('commit');
    } catch (error) {
      // On a full disk SQLite has already rolled back.
      if (native.isTransaction) native.exec('rollback');
      throw error;
    }
  }
  report({ text: 'starting with the upgraded database', done: 0, total: 0 });
}
