import type { AuditArchive } from '../audit/audit-archive.ts';
import type { Database } from '../storage/database.ts';
import type { RetentionRule } from './retention-rule.ts';

/** One archive per month; one per day would create many small files. */
const AT_LEAST_MS = 30 * 86_400_000;

/** Moves old audit entries to an archive. */
export const auditRule = ({ read }: Database, archive: AuditArchive): RetentionRule => {
  const count = async (before: string): Promise<number> => {
    const row = await read
      .selectFrom('audit_log')
      .select(({ fn }) => fn.countAll<number>().as('n'))
      .where('at', '<', before)
      .executeTakeFirst();
    return row?.n ?? 0;
  };
  return {
    name: 'audit entries (to an archive)',
    setting: 'retention.auditDays',
    count,
    async remove(before) {
      const oldest = await read
        .selectFrom('audit_log')
        .select('at')
        .orderBy('seq')
        .limit(1)
        .executeTakeFirst();
      const due = new Date(Date.parse(before) - AT_LEAST_MS).toISOString();
      if (!oldest || oldest.at >= due) return { taken: 0, hasMore: false };
      return { taken: (await archive.archive(before))?.entries ?? 0, hasMore: false };
    },
  };
};
