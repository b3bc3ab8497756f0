import type { Kysely } from 'kysely';
import { up as agentNotices } from './migrations/agent-notices.ts';
import { up as agentToAgent } from './migrations/agent-to-agent.ts';
import { up as notedCommits } from './migrations/noted-commits.ts';
import { up as placement } from './migrations/placement.ts';
import { up as settings } from './migrations/settings.ts';
import { up as sharedMemory } from './migrations/shared-memory.ts';
import { up as taskTraces } from './migrations/task-traces.ts';
import { up as tokenLimits } from './migrations/token-limits.ts';
import { up as tokenMonthBudgets } from './migrations/token-month-budgets.ts';
import { up as turns } from './migrations/turns.ts';
import { up as usage } from './migrations/usage.ts';
import { up as usageDaysByScope } from './migrations/usage-days-by-scope.ts';

/** Reports how many of the equal parts of a migration are done. */
export type ReportParts = (done: number, total: number) => void;
export type Migration = (db: Kysely<never>, report: ReportParts) => Promise<void>;

/** A migration for both engines. */
export interface SharedMigration {
  up: Migration;
  /**
   * Whether it takes away what the release before still uses. Then daemons of that release refuse the database; after any
   * other migration they go on beside newer ones, so a release adds, and a later one takes away.
   */
  contracts: boolean;
}

/**
 * All migrations since there are two engines, by their recorded names, in order. Each is written once, with Kysely's schema
 * builder and SQLite's types: PostgreSQL reads `integer` as `bigint`, `real` as `double precision`, and compares `text` by
 * bytes.
 */
export const sharedMigrations: Readonly<Record<string, SharedMigration>> = {
  '0036-settings': { up: settings, contracts: false },
  '0037-turns': { up: turns, contracts: false },
  '0038-placement': { up: placement, contracts: false },
  '0039-shared-memory': { up: sharedMemory, contracts: false },
  '0050-token-limits': { up: tokenLimits, contracts: false },
  '0070-agent-to-agent': { up: agentToAgent, contracts: false },
  '0080-usage': { up: usage, contracts: false },
  '0081-token-month-budgets': { up: tokenMonthBudgets, contracts: false },
  '0090-task-traces': { up: taskTraces, contracts: false },
  '0100-agent-notices': { up: agentNotices, contracts: false },
  '0110-usage-days-by-scope': { up: usageDaysByScope, contracts: false },
  '0120-noted-commits': { up: notedCommits, contracts: false },
};
