import type { Vendor } from '../../../contract/vendors.ts';
import type { ReadSource } from './source-work.ts';

/** Loaded on the first delivery of a vendor: most daemons receive none. */
export const sourceReaders: Record<Vendor, () => Promise<ReadSource>> = {
  github: async () => (await import('./github-events.ts')).readGithub,
  jira: async () => (await import('./jira-events.ts')).readJira,
  linear: async () => (await import('./linear-events.ts')).readLinear,
};
