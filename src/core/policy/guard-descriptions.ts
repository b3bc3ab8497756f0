import type { GuardName } from '../../contract/guards.ts';

/** What each guard checks, in the order in which they run. */
export const guardDescriptions: Record<GuardName, string> = {
  'path-traversal':
    'Keeps tools inside their workspace: no parent directories, no absolute paths elsewhere, no links that lead out',
  'shell-injection':
    'Lets only plain programs with plain arguments run, and pipes and && of those that only read: no variables, redirections or substitutions',
  'secret-exfiltration':
    'Keeps environment files, keys, credential stores and the data of the daemon from every tool',
  'rate-limit': 'Limits how many tools a user calls in a minute (tools.callsPerMinute)',
};
