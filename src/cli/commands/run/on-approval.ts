/** What `svc run` does when a tool of its task needs an approval. */
export const onApprovalMeanings = {
  fail: 'leave the task waiting and exit with code 9',
  wait: 'ask on the terminal, or wait for a decision made elsewhere',
  deny: 'deny the call; the agent continues without it',
} as const;
export type OnApproval = keyof typeof onApprovalMeanings;

export const onApprovalWays = Object.keys(onApprovalMeanings) as OnApproval[];
