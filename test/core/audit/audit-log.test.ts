import { expect, it } from 'vitest';
import { AuditLog, hashOfEntry } from '../../../src/core/audit/audit-log.ts';
import { systemRuntime } from '../../../src/core/runtime.ts';
import { openStorage } from '../../helpers/storage.ts';

it('chains audit entries without a gap when many are written at once and some are rolled back', async () => {
  await using storage = await openStorage();
  const audit = new AuditLog(systemRuntime, storage.database.engine);
  const all = Array.from({ length: 300 }, (_, at) =>
    storage.database.write(async (transaction) => {
      await audit.append(transaction, { kind: 'security', tool: `event ${at}`, result: 'ok' });
      if (at % 3 === 0) throw new Error('rolled back');
    }),
  );
  await Promise.allSettled(all);
  const rows = await storage.database.read.selectFrom('audit_log').selectAll().orderBy('seq').execute();
  expect(rows).toHaveLength(200);
  let previous = '0'.repeat(64);
  for (const [at, { hash, ...row }] of rows.entries()) {
    expect(row.seq).toBe(at + 1);
    expect(row.previous_hash).toBe(previous);
    expect(hashOfEntry(row)).toBe(hash);
    previous = hash;
  }
});
