const groups = ['model', 'task', 'repository', 'user', 'token', 'provider'] as const;

/** What the page can add up by; by agent unless its address says otherwise. */
export type ShownGroup = 'agent' | (typeof groups)[number];

export interface UsageSearch {
  days?: 7 | 90 | 365 | undefined;
  by?: (typeof groups)[number] | undefined;
}

/** What the address of the page says; what it does not say is the usual. */
export function readUsageSearch({ days, by }: Record<string, unknown>): UsageSearch {
  const group = groups.find((each) => each === by);
  return {
    ...((days === 7 || days === 90 || days === 365) && { days }),
    ...(group && { by: group }),
  };
}
