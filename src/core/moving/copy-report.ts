import type { AuditVerification } from '../../contract/audit.ts';
import type { Locations } from '../../contract/locations.ts';
import type { Config } from '../config/config.ts';
import type { CopyProgress, TableContent } from '../storage/copy/copy-rows.ts';
import { addressOf, type PostgresServer } from '../storage/postgres/connection-options.ts';

export interface MoveOptions {
  locations: Locations;
  /** The settings of this home in mode pro. */
  config: Config;
  server: PostgresServer;
  now: Date;
  onProgress?: (progress: CopyProgress) => void;
  /** Rejects with its reason, and keeps nothing. */
  signal?: AbortSignal;
}

export interface CopyReport {
  /** Name both databases, without a password. */
  from: string;
  to: string;
  tables: TableContent[];
  /** Values with characters that the target cannot store, which are U+FFFD there. */
  changed: number;
  audit: AuditVerification;
  /** The settings that were copied between the settings file and the cluster. */
  settings: string[];
  /** True where an earlier copy was complete, and only its mark was missing. */
  wasComplete: boolean;
  /** Where the database is now that was replaced. */
  keptAs?: string;
}

/** How a report names a database of PostgreSQL. */
export const nameOfServer = ({ url }: PostgresServer): string => `PostgreSQL at ${addressOf(url)}`;
