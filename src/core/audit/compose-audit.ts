import { join } from 'node:path';
import type { Locations } from '../../contract/locations.ts';
import type { Leases } from '../leases.ts';
import type { Feature } from '../lifecycle.ts';
import type { Runtime } from '../runtime.ts';
import type { Database } from '../storage/database.ts';
import { AuditArchive } from './audit-archive.ts';
import { AuditLog } from './audit-log.ts';
import { AuditRecorder } from './audit-recorder.ts';
import { AuditService } from './audit-service.ts';
import { AuditStore } from './audit-store.ts';

export interface AuditServices {
  /** Writes entries, in the transactions of the changes that they record. */
  audit: AuditLog;
  /** Writes entries of changes that write none themselves. */
  auditRecorder: AuditRecorder;
  /** Reads and verifies them. */
  auditEntries: AuditService;
  /** Moves old ones into files. */
  auditArchive: AuditArchive;
}

export interface AuditDeps {
  database: Database;
  locations: Locations;
  leases: Leases;
  runtime: Runtime;
}

/** Wires the audit log. */
export function composeAudit(deps: AuditDeps): Feature<AuditServices> {
  const directory = join(deps.locations.data, 'archive');
  const store = new AuditStore(deps.database);
  const audit = new AuditLog(deps.runtime, deps.database.engine);
  return {
    services: {
      audit,
      auditRecorder: new AuditRecorder(deps.database, audit),
      auditEntries: new AuditService(store, directory),
      auditArchive: new AuditArchive({ ...deps, store, audit, directory }),
    },
  };
}
