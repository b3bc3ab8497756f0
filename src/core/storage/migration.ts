import type { Kysely } from 'kysely';

/** Reports how many of the equal parts of a migration are done. */
export type ReportParts = (done: number, total: number) => void;
export type Migration = (db: Kysely<never>, report: ReportParts) => Promise<void>;
