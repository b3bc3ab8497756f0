import type { UsedBy } from './usage-record.ts';

/** The counters of the day that work counts for, by their scope in `usage_days`. */
export const countersOf = ({ userId, agent, tokenId, repository }: UsedBy): string[] => [
  'all',
  ...(userId === '' ? [] : [`user:${userId}`]),
  ...(agent === undefined ? [] : [`agent:${agent}`]),
  ...(tokenId === undefined ? [] : [`token:${tokenId}`]),
  ...(repository === undefined ? [] : [`repository:${repository}`]),
];
