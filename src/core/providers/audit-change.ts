import type { AuditLog } from '../audit/audit-log.ts';
import type { Database } from '../storage/database.ts';

/** The user and address of a change, for the audit log. */
export interface Changer {
  userId?: string | undefined;
  address?: string | undefined;
}

/** Records a change of a provider in the audit log. */
export const auditChange = (
  { database, audit }: { database: Database; audit: AuditLog },
  { userId, address }: Changer,
  tool: string,
  args: Record<string, unknown>,
): Promise<void> =>
  database.write((transaction) =>
    audit.append(transaction, { kind: 'security', tool, userId, address, arguments: args, result: 'ok' }),
  );
