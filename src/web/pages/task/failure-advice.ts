import type { FailureClass } from '../../../contract/task.ts';
import type { TabName } from './tab-names.ts';

interface Advice {
  name: string;
  /** What a person can do about it. */
  next: string;
  /** Where there is more to see. */
  tab?: TabName;
}

/** What each class of failure is called, and what to do about it. */
export const failureAdvice: Record<FailureClass, Advice> = {
  rate_limited: {
    name: 'Rate limited',
    next: 'The provider accepts no more requests for now. Run the task again in a few minutes, or with another model.',
  },
  quota: {
    name: 'Quota used up',
    next: 'Wait until the quota is reset or raise it at the provider, then run the task again.',
  },
  auth: {
    name: 'Sign-in refused',
    next: 'Check the key or the login of the agent: svc doctor. Then run the task again.',
  },
  network: { name: 'Network problem', next: 'Check the connection of the daemon, then run the task again.' },
  timeout: {
    name: 'Out of time',
    next: 'Retry it with a longer time limit, or divide the task into smaller ones.',
    tab: 'timeline',
  },
  agent_crash: {
    name: 'Agent stopped unexpectedly',
    next: 'See the end of its output, then run the task again.',
    tab: 'output',
  },
  agent_error: { name: 'Agent error', next: 'See its last steps, then run the task again.', tab: 'timeline' },
  command_failed: { name: 'Command failed', next: 'See what the command printed.', tab: 'output' },
  invalid_input: {
    name: 'Invalid task',
    next: 'It fails again as it is. Create it again with what the message names.',
  },
  policy_denied: {
    name: 'Not allowed',
    next: 'The policy does not allow what the agent needed. An administrator can change it.',
    tab: 'timeline',
  },
  verify_failed: {
    name: 'Verification failed',
    next: 'See which commands failed, and continue the task with what to fix.',
    tab: 'checks',
  },
  invalid_output: {
    name: 'Answer in the wrong form',
    next: 'The answer does not fit the schema of the task. Retry it, or relax the schema.',
  },
  budget: {
    name: 'Limit reached',
    next: 'It used up its steps, tokens or cost. Retry it with a higher limit, or continue it.',
    tab: 'timeline',
  },
  host_gone: {
    name: 'Host gone',
    next: 'Start a daemon on that host again and retry the task, or retry it to begin afresh on another host.',
  },
  cancelled: { name: 'Cancelled', next: 'Retry it when you need it.' },
  unknown: { name: 'Failed', next: 'See its last steps, then run the task again.', tab: 'timeline' },
};
