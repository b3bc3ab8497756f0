import type { Schema } from './schema.ts';

/** The tables whose lists say how many rows match; each numbers its rows. */
export const listedTables = [
  'audit_log',
  'conversations',
  'dead_letters',
  'experiences',
  'inbound_deliveries',
  'notifications',
  'webhook_deliveries',
] as const satisfies (keyof Schema)[];
export type ListedTable = (typeof listedTables)[number];
