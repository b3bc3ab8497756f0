/** What `svc run` does when a tool of its task needs an approval. */
export const onApprovalMeanings = {
  fail: 'leave the task waiting and exit with 9',
  wait: 'ask here, or wait for a decision from elsewhere without a terminal',
  deny: 'do not let it run; the agent goes on without it',
} as const;
export type OnApproval = keyof typeof onApprovalMeanings;

export const onApprovalWays = Object.keys(onApprovalMeanings) as OnApproval[];
