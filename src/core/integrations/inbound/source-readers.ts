import type { ProviderName } from '../../../contract/oauth.ts';
import type { ReadSource } from './source-work.ts';

/** Loaded on the first delivery of a vendor: most daemons receive none. */
export const sourceReaders: Record<ProviderName, () => Promise<ReadSource>> = {
  codehost: async () => (await import('./github-events.ts')).readGithub,
  tracker_a: async () => (await import('./jira-events.ts')).readJira,
  tracker_b: async () => (await import('./linear-events.ts')).readLinear,
};
