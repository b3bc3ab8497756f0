/** What the exit codes mean; they never change. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  cancelled: 3,
  notAllowed: 4,
  notFound: 5,
  invalid: 6,
  unverified: 7,
  pending: 8,
  approvalNeeded: 9,
  overBudget: 10,
  unreachable: 69,
  tryLater: 75,
  configuration: 78,
  timeout: 124,
  interrupted: 130,
  terminated: 143,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The name of an exit code in an error as JSON, such as `not_found`. */
export function nameOfExitCode(code: ExitCode): string {
  const [name = 'failed'] = Object.entries(exitCodes).find(([, each]) => each === code) ?? [];
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** One line per exit code, for the help and the reference. */
export const exitCodeMeanings: Record<ExitCode, string> = {
  0: 'done',
  1: 'the task ran and failed, or a general error',
  2: 'wrong usage',
  3: 'cancelled or rejected by a person',
  4: 'not signed in or not allowed',
  5: 'not found',
  6: 'invalid input or wrong state',
  7: 'done, but its verification failed',
  8: 'still pending: --detach, or the wait is over and the task keeps running',
  9: 'calls were refused, or an approval is needed and none can be given here',
  10: 'budget exceeded',
  69: 'the daemon cannot be reached',
  75: 'try later: rate limited or deferred',
  78: 'configuration error, such as no model provider or an unknown model',
  124: '--timeout or --max-time was hit and the run stopped',
  130: 'interrupted by Ctrl-C',
  143: 'terminated by SIGTERM',
};
