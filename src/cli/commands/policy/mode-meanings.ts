import type { SecurityMode } from '../../../contract/security-mode.ts';

/** What each mode means for the tools of a run, from the strictest to the most trusting. */
export const modeMeanings: Record<SecurityMode, string> = {
  deny: 'no tool runs',
  sandbox: 'only tools that read',
  allowlist: 'only the allowed tools',
  ask: 'a person is asked, unless the tool is allowed',
  full: 'nobody is asked; blocked tools and guards still hold',
};
