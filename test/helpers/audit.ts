import type { TestDaemon } from './daemon.ts';

/** The names and results of the audit log, in their order. */
export async function auditedEvents({ app }: TestDaemon): Promise<string[]> {
  const rows = await app.database.read.selectFrom('audit_log').selectAll().orderBy('seq').execute();
  return rows.map(({ tool, result }) => `${tool} ${result}`);
}
