import type { UsageGroup } from '../../../contract/usage.ts';

/** What the page can add up by, with the words of the choice. */
export const groupWords = {
  agent: 'Agent',
  model: 'Model',
  task: 'Task',
  repository: 'Repository',
  user: 'User',
  token: 'API token',
  provider: 'Provider',
} as const satisfies Partial<Record<UsageGroup, string>>;
export type ShownGroup = keyof typeof groupWords;

export const ranges = [7, 30, 90, 365] as const;

export interface UsageSearch {
  days?: 7 | 90 | 365;
  by?: Exclude<ShownGroup, 'agent'>;
}

/** What the address of the page says; what it does not say is the usual. */
export function readUsageSearch({ days, by }: Record<string, unknown>): UsageSearch {
  return {
    ...((days === 7 || days === 90 || days === 365) && { days }),
    ...(typeof by === 'string' &&
      by !== 'agent' &&
      Object.hasOwn(groupWords, by) && { by: by as NonNullable<UsageSearch['by']> }),
  };
}
